// The things one file or directory lists, by name, remembered from run to run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsight {

// Between begin() and sweep() every name still there is visited; sweep() ends the others. Names
// come in nearly the same order every time, so a visit usually looks at one entry.
template <typename Device>
class DeviceSet {
 public:
  explicit DeviceSet(size_t limit) : limit_(limit) {}

  void begin() {
    for (Entry& entry : entries_) entry.seen = false;
    cursor_ = 0;
  }

  // The device of that name, made by make(name) when it is new; nullptr when the set is full.
  template <typename Make>
  Device* visit(std::string_view name, Make&& make) {
    for (size_t step = 0; step < entries_.size(); ++step) {
      const size_t index = (cursor_ + step) % entries_.size();
      Entry& entry = entries_[index];
      if (entry.name != name) continue;
      entry.seen = true;
      cursor_ = index + 1;
      return &entry.device;
    }
    if (entries_.size() >= limit_) {
      ++refused_;
      return nullptr;
    }
    entries_.push_back({std::string(name), true, make(name)});
    cursor_ = entries_.size();
    return &entries_.back().device;
  }

  // Calls ended(device) for each device not visited since begin(), and forgets it.
  template <typename Fn>
  void sweep(Fn&& ended) {
    std::erase_if(entries_, [&](Entry& entry) {
      if (entry.seen) return false;
      ended(entry.device);
      return true;
    });
  }

  // Calls fn(name, device).
  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (const Entry& entry : entries_) fn(std::string_view(entry.name), entry.device);
  }

  size_t size() const { return entries_.size(); }
  // Visits that the limit turned away.
  uint64_t refused() const { return refused_; }

 private:
  struct Entry {
    std::string name;
    bool seen;
    Device device;
  };

  size_t limit_;
  size_t cursor_ = 0;
  uint64_t refused_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace warpsight

// What the peer was told of each series: its name, its newest time, whether it goes on.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/sink.h"
#include "sinks/prometheus/labels.h"
#include "wire/remote_write/series.h"
#include "wire/remote_write/symbols.h"

namespace warpsight {

// Fills messages with series, each message a whole request.
class RequestWriter {
 public:
  static constexpr uint32_t kMostPoints = 10'000;

  RequestWriter(const SymbolTable& symbols, Outbox& out) : symbols_(symbols), out_(out) {}
  void add(std::string_view constant, const RemoteSample& sample);

 private:
  const SymbolTable& symbols_;
  Outbox& out_;
  Message* message_ = nullptr;
};

struct MetricDescription {
  RemoteWriteType type = RemoteWriteType::unknown;
  std::string_view help = {};
  std::string_view unit = {};
};

// A series is known by its labels, whatever entity stood for it: one that ends and begins again is
// one to the peer. Those that ended are kept for a while, so that their times still rise if they
// come back. Memory is taken only when series come and go.
class SeriesBook {
 private:
  struct Entry {
    std::string constant;   // as in the request: label refs, metadata
    uint32_t key_size = 0;  // of the label refs, by which it is found
    uint32_t generation = 0;
    uint64_t tick = 0;                                   // when it was last told of
    int64_t time = std::numeric_limits<int64_t>::min();  // of the last point sent
    bool goes_on = false;
    bool used = false;
    SeriesMetadata metadata = {};

    std::string_view key() const { return std::string_view(constant).substr(0, key_size); }
  };

 public:
  // Stays valid until the series was forgotten; holds() tells.
  class Handle {
   public:
    Handle() = default;

   private:
    friend class SeriesBook;
    Handle(Entry& entry) : entry_(&entry), generation_(entry.generation) {}
    Entry* entry_ = nullptr;
    uint32_t generation_ = 0;
  };

  // Before the handles of a tick are asked for.
  void begin_tick();

  // The series with these labels, which are sorted.
  Handle find(std::span<const Label> labels, const MetricDescription& description);
  bool holds(const Handle& handle) const {
    return handle.entry_ != nullptr && handle.entry_->generation == handle.generation_;
  }

  // After all of a tick's handles were asked for. A point that is not newer than the last is left
  // out; so is a second one in the same tick. Either way the series goes on.
  void tell(const Handle& handle, const RemoteSample& sample, RequestWriter& out);

  // Marks as ended what was told of before and not in this tick.
  void end_tick(int64_t now_ms, RequestWriter& out);

  const SymbolTable& symbols() const { return symbols_; }

 private:
  void encode(Entry& entry, std::span<const uint32_t> refs) const;
  void rebuild_symbols();
  void forget(Entry& entry);
  Entry& free_entry();

  SymbolTable symbols_;
  std::deque<Entry> entries_;
  std::vector<Entry*> free_;
  std::unordered_map<std::string_view, Entry*> by_key_;
  uint64_t tick_ = 0;
  size_t going_on_ = 0;
  size_t told_ = 0;  // in this tick
  size_t idle_ = 0;  // used, but not going on
  std::vector<uint32_t> refs_;
  std::string key_;
};

}  // namespace warpsight

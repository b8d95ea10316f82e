#include "sinks/remote_write/series_book.h"

#include <algorithm>
#include <chrono>
#include <protozero/pbf_reader.hpp>

namespace warpsight {
namespace {

constexpr int64_t kRememberMs = std::chrono::milliseconds{std::chrono::minutes{15}}.count();
constexpr size_t kMostRemembered = 20'000;

void read_refs(std::string_view key, std::vector<uint32_t>& refs) {
  refs.clear();
  protozero::pbf_reader reader(key.data(), key.size());
  reader.next();
  for (const uint32_t ref : reader.get_packed_uint32()) refs.push_back(ref);
}

}  // namespace

void RequestWriter::add(std::string_view constant, const RemoteSample& sample) {
  if (message_ == nullptr || message_->points == kMostPoints) {
    message_ = &out_.add();
    message_->bytes = symbols_.encoded();
  }
  append_series(message_->bytes, constant, sample);
  ++message_->points;
}

void SeriesBook::begin_tick() {
  ++tick_;
  told_ = 0;
  if (symbols_.mostly_unused()) rebuild_symbols();
}

SeriesBook::Handle SeriesBook::find(std::span<const Label> labels,
                                    const MetricDescription& description) {
  refs_.clear();
  for (const Label& label : labels) {
    refs_.push_back(symbols_.acquire(label.name));
    refs_.push_back(symbols_.acquire(label.value));
  }
  key_.clear();
  append_label_refs(key_, refs_);
  if (const auto known = by_key_.find(key_); known != by_key_.end()) {
    for (const uint32_t ref : refs_) symbols_.release(ref);
    return *known->second;
  }
  Entry& entry = free_entry();
  entry.used = true;
  entry.metadata = {description.type, symbols_.acquire(description.help),
                    symbols_.acquire(description.unit)};
  encode(entry, refs_);
  by_key_.emplace(entry.key(), &entry);
  ++idle_;
  return entry;
}

void SeriesBook::tell(const Handle& handle, const RemoteSample& sample, RequestWriter& out) {
  Entry& entry = *handle.entry_;
  if (entry.tick == tick_) return;
  entry.tick = tick_;
  ++told_;
  if (!entry.goes_on) {
    entry.goes_on = true;
    ++going_on_;
    --idle_;
  }
  if (sample.time <= entry.time) return;
  entry.time = sample.time;
  out.add(entry.constant, sample);
}

void SeriesBook::end_tick(int64_t now_ms, RequestWriter& out) {
  if (told_ == going_on_ && idle_ == 0) return;
  for (Entry& entry : entries_) {
    if (!entry.used || entry.tick == tick_) continue;
    if (entry.goes_on) {
      entry.time = std::max(now_ms, entry.time + 1);
      out.add(entry.constant, {stale_marker(), entry.time});
      entry.goes_on = false;
      --going_on_;
      ++idle_;
    } else if (entry.time < now_ms - kRememberMs || idle_ > kMostRemembered) {
      forget(entry);
    }
  }
}

void SeriesBook::encode(Entry& entry, std::span<const uint32_t> refs) const {
  entry.constant.clear();
  append_label_refs(entry.constant, refs);
  entry.key_size = static_cast<uint32_t>(entry.constant.size());
  append_metadata(entry.constant, entry.metadata);
  entry.constant.shrink_to_fit();
}

void SeriesBook::rebuild_symbols() {
  SymbolTable fresh;
  by_key_.clear();
  for (Entry& entry : entries_) {
    if (!entry.used) continue;
    read_refs(entry.key(), refs_);
    for (uint32_t& ref : refs_) ref = fresh.acquire(symbols_.text(ref));
    entry.metadata.help = fresh.acquire(symbols_.text(entry.metadata.help));
    entry.metadata.unit = fresh.acquire(symbols_.text(entry.metadata.unit));
    encode(entry, refs_);
    by_key_.emplace(entry.key(), &entry);
  }
  symbols_ = std::move(fresh);
}

void SeriesBook::forget(Entry& entry) {
  read_refs(entry.key(), refs_);
  for (const uint32_t ref : refs_) symbols_.release(ref);
  symbols_.release(entry.metadata.help);
  symbols_.release(entry.metadata.unit);
  by_key_.erase(entry.key());
  const uint32_t generation = entry.generation + 1;
  entry = {};
  entry.generation = generation;
  free_.push_back(&entry);
  --idle_;
}

SeriesBook::Entry& SeriesBook::free_entry() {
  if (free_.empty()) return entries_.emplace_back();
  Entry& entry = *free_.back();
  free_.pop_back();
  return entry;
}

}  // namespace warpsight

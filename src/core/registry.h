// Every series the agent holds: its last value, the open window of samples, the cumulative start.
// Sources apply batches at any time; once a publish interval the windows are folded into a
// snapshot, which every sink and the page read.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/batch.h"
#include "core/catalogue.h"
#include "core/clock.h"
#include "core/entity.h"

namespace warpsight {

// Samples since the last publish.
struct Window {
  double weighted = 0;  // value × seconds
  double seconds = 0;
  double min = 0;
  double max = 0;
  uint32_t count = 0;
};

// A distribution since its series' start.
struct Histogram {
  std::vector<double> bounds;    // upper, rising
  std::vector<uint64_t> counts;  // of each bucket alone; the last is above all bounds
  double sum = 0;
};

inline constexpr uint32_t kNoHistogram = UINT32_MAX;

struct Series {
  Metric metric{};
  EntityId entity;
  uint32_t birth = 0;   // never used twice: tells a slot's new tenant from the old one
  uint16_t source = 0;  // who writes it now
  uint8_t rank = 0;     // that source's place among the metric's writers
  bool live = false;
  bool failing = false;  // listed among what is missing
  bool awaited = false;  // its owner changed: nothing that was read before is told as the new one's

  Time start{};        // counters: when the count began, as far as known
  Time time{};         // of the last point
  Time time_before{};  // of the one before it
  Time arrived{};      // when that point came in
  Duration period{};
  uint32_t histogram = kNoHistogram;  // index in Snapshot::histograms; `last` is its count then
  double last = 0;
  double integral = 0;  // value × seconds since the series began; gaps left out
  Window window;

  // As of the last publish. `published` is false for a series that is stale or new since.
  bool published = false;
  double value = 0;
  Time value_time{};
};

struct Sample {
  uint32_t series;  // slot in Snapshot::series
  uint32_t birth;   // of the series it was taken from
  Time time;
  double value;
};

// What the agent says at one moment. Valid only inside Registry::read.
struct Snapshot {
  Time time{};  // zero before the first publish
  Duration interval{};
  std::span<const Sample> samples;  // grouped by metric, in the catalogue's order
  std::span<const Series> series;   // slots
  std::span<const Event> events;    // since the publish before
  std::span<const Histogram> histograms = {};

  // nullptr when the series has ended since.
  const Series* series_of(const Sample& sample) const {
    const Series& found = series[sample.series];
    return found.birth == sample.birth ? &found : nullptr;
  }

  // nullptr for a series of plain numbers.
  const Histogram* histogram_of(const Series& owner) const {
    return owner.histogram == kNoHistogram ? nullptr : &histograms[owner.histogram];
  }
};

// Read access for analyses, under the registry's lock, after the windows were folded.
class View {
 public:
  View(const class Registry& registry, Time now) : registry_(registry), now_(now) {}

  Time now() const { return now_; }
  const EntityTable& entities() const;

  // Calls fn(const Series&) for each published series of the metric.
  template <typename Fn>
  void for_each(Metric metric, Fn&& fn) const;

  // nullptr when not published.
  const Series* find(Metric metric, EntityId entity) const;
  // Also one that was not published, with what was read last.
  const Series* find_live(Metric metric, EntityId entity) const;

  // As last read; nullptr for a series of plain numbers.
  const Histogram* histogram_of(const Series& series) const;

  // Calls fn(name, number of series) for each writer.
  template <typename Fn>
  void for_each_source(Fn&& fn) const;

  // Calls fn(const std::string& source, const Ownership&) for each source that knows of owners.
  template <typename Fn>
  void for_each_ownership(Fn&& fn) const;
  // How often one of them has said something new.
  uint64_t ownership_changes() const;

  // As for_each, of those too that find_live finds.
  template <typename Fn>
  void for_each_live(Metric metric, Fn&& fn) const;

  const struct DropCounts& drops() const;

 private:
  const Registry& registry_;
  Time now_;
};

// Judges what was read. Pure but for its own memory; yields points and events like any source.
// What it does not say again at a publish is no longer published.
class Analysis {
 public:
  virtual ~Analysis() = default;
  // Sees the events of the interval before they are published; may take some out, or say more.
  virtual void absorb(std::vector<Event>& /*events*/, Batch& /*out*/) {}
  // Between publishes: a device or a process is about to end, or who owns what has changed. What
  // was used until this moment is to be accounted to those who owned it until now.
  virtual void settle(const View& /*view*/, Batch& /*out*/) {}
  virtual void run(const View& view, Batch& out) = 0;
};

// What a bound or a bad point cost.
struct DropCounts {
  uint64_t series_limit = 0;   // the source has as many series as it may
  uint64_t out_of_order = 0;   // not newer than the point before it
  uint64_t not_finite = 0;     // NaN or infinite
  uint64_t entity_gone = 0;    // about something that has ended
  uint64_t bad_histogram = 0;  // bounds that do not rise, or a number and no buckets
  uint64_t events_limit = 0;   // more events in one interval than are kept
};

struct RegistryLimits {
  size_t series_per_source = 20'000;
  size_t events = 256;
};

// Thread-safe.
class Registry {
 public:
  explicit Registry(EntityTable& entities, RegistryLimits limits = {});

  // A writer of points; the name decides who wins where two write one series.
  uint16_t add_source(std::string_view name);

  // Takes points, absences, ends and events; leaves the batch empty.
  void apply(uint16_t source, Batch& batch, Time now);

  // Whose settle() is called; nullptr: nobody's. It must outlive the registry's use.
  void set_settler(Analysis* settler);

  // Folds the windows, lets each analysis see them, and makes the next snapshot.
  void publish(Time now, std::span<Analysis* const> analyses);

  // Calls fn(const Snapshot&) with the last snapshot, under the lock.
  template <typename Fn>
  auto read(Fn&& fn) const {
    const std::lock_guard lock(mutex_);
    return fn(
        Snapshot{published_at_, interval_, samples_, series_, published_events_, histograms_});
  }

  // Calls fn(const View&) as an analysis would see it at the last publish, under the lock.
  template <typename Fn>
  auto inspect(Fn&& fn) const {
    const std::lock_guard lock(mutex_);
    return fn(View(*this, published_at_));
  }

  // Calls fn() while no analysis runs.
  template <typename Fn>
  void pause(Fn&& fn) const {
    const std::lock_guard lock(mutex_);
    fn();
  }

  // Calls fn(const Missing&) for everything known to be unsupported or failing.
  template <typename Fn>
  void for_each_missing(Fn&& fn) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, missing] : missing_) fn(missing);
  }

  // The newest events, oldest first.
  std::vector<Event> recent_events() const;

  // Held by a writer; 0 for one that is not known.
  size_t series_count(std::string_view source) const;
  DropCounts drops() const;
  EntityTable& entities() { return entities_; }

 private:
  friend class View;
  using Key = uint64_t;
  static Key key_of(Metric metric, EntityId entity) {
    return (Key{static_cast<uint16_t>(metric)} << 32) | entity.bits;
  }

  void take(uint16_t source, Batch& batch, Time now);
  void take(uint16_t source, std::shared_ptr<const Ownership> ownership, Time now);
  void settle(Time now);
  void dress(std::span<const Dressing> dressings);
  // The series it went to; nullptr when it was not taken.
  Series* take(uint16_t source, const Point& point, Time now);
  void take(uint16_t source, const Batch& batch, const HistogramPoint& point, Time now);
  void take(Missing&& missing);
  void take(Event&& event);
  void end(std::span<const EntityId> entities);
  Series* series_for(uint16_t source, const Point& point, Time now);
  Series* add_series(uint16_t source, const Point& point);
  void remove_series(uint32_t slot);
  void release_series(uint32_t slot);  // leaves by_metric_ to the caller
  template <typename Which>
  void remove_series_if(const Which& which);
  void fold(Series& series, Time now) const;
  void forget_long_stale(Time now);

  struct SourceInfo {
    std::string name;
    size_t series = 0;
    std::shared_ptr<const Ownership> ownership = {};
  };

  mutable std::mutex mutex_;
  EntityTable& entities_;
  RegistryLimits limits_;
  std::vector<SourceInfo> sources_;
  uint16_t analysis_source_;

  std::vector<Series> series_;
  std::vector<uint32_t> free_;
  std::vector<Histogram> histograms_;  // as of the last publish
  std::vector<Histogram> live_histograms_;
  std::vector<uint32_t> free_histograms_;
  std::unordered_map<Key, uint32_t> by_key_;
  std::vector<std::vector<uint32_t>> by_metric_;
  uint32_t births_ = 0;
  uint32_t births_told_ = 0;  // as of the last publish
  std::unordered_map<Key, Missing> missing_;

  std::deque<Event> recent_;
  std::vector<Event> pending_events_;
  std::vector<Event> published_events_;
  std::vector<Sample> samples_;
  Time published_at_{};
  Duration interval_{};
  Batch analysis_batch_;
  Analysis* settler_ = nullptr;
  Batch settled_;
  uint64_t ownership_changes_ = 0;
  DropCounts drops_;
};

// Whether a point that came `age` ago is too old to be told as if fresh: two periods were missed.
bool is_stale(Duration age, Duration period);

template <typename Fn>
void View::for_each(Metric metric, Fn&& fn) const {
  const auto index = static_cast<size_t>(metric);
  if (index >= registry_.by_metric_.size()) return;
  for (const uint32_t slot : registry_.by_metric_[index]) {
    const Series& series = registry_.series_[slot];
    if (series.published) fn(series);
  }
}

template <typename Fn>
void View::for_each_live(Metric metric, Fn&& fn) const {
  const auto index = static_cast<size_t>(metric);
  if (index >= registry_.by_metric_.size()) return;
  for (const uint32_t slot : registry_.by_metric_[index]) fn(registry_.series_[slot]);
}

template <typename Fn>
void View::for_each_ownership(Fn&& fn) const {
  for (const Registry::SourceInfo& source : registry_.sources_) {
    if (source.ownership) fn(source.name, *source.ownership);
  }
}

template <typename Fn>
void View::for_each_source(Fn&& fn) const {
  for (const Registry::SourceInfo& source : registry_.sources_) fn(source.name, source.series);
}

}  // namespace warpsight

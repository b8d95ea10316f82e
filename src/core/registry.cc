#include "core/registry.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_set>
#include <utility>

#include "core/attributes.h"

namespace warpsight {
namespace {

constexpr Duration kSlack = std::chrono::milliseconds{500};
constexpr Duration kForgetAfter = std::chrono::minutes{10};
// A gauge that is read at least this often is not told under a new owner before it was read again.
constexpr Duration kReadOften = std::chrono::seconds{15};

bool rising(std::span<const double> bounds) {
  return std::ranges::all_of(bounds, [](double b) { return std::isfinite(b); }) &&
         std::ranges::adjacent_find(bounds, std::greater_equal{}) == bounds.end();
}

Duration period_of(const Point& point) { return std::chrono::milliseconds{100} * point.period_ds; }

}  // namespace

bool is_stale(Duration age, Duration period) { return age > 2 * period + kSlack; }

const EntityTable& View::entities() const { return registry_.entities_; }

const Series* View::find_live(Metric metric, EntityId entity) const {
  const auto found = registry_.by_key_.find(Registry::key_of(metric, entity));
  return found == registry_.by_key_.end() ? nullptr : &registry_.series_[found->second];
}

const Series* View::find(Metric metric, EntityId entity) const {
  const Series* series = find_live(metric, entity);
  return series != nullptr && series->published ? series : nullptr;
}

const Histogram* View::histogram_of(const Series& series) const {
  if (series.histogram == kNoHistogram) return nullptr;
  return &registry_.live_histograms_[series.histogram];
}

uint64_t View::ownership_changes() const { return registry_.ownership_changes_; }

const DropCounts& View::drops() const { return registry_.drops_; }

Registry::Registry(EntityTable& entities, RegistryLimits limits)
    : entities_(entities),
      limits_(limits),
      analysis_source_(add_source("analysis")),
      by_metric_(catalogue().size()) {}

uint16_t Registry::add_source(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(sources_, name, &SourceInfo::name);
  if (known != sources_.end()) return static_cast<uint16_t>(known - sources_.begin());
  sources_.push_back({std::string(name)});
  return static_cast<uint16_t>(sources_.size() - 1);
}

void Registry::apply(uint16_t source, Batch& batch, Time now) {
  const std::lock_guard lock(mutex_);
  take(source, batch, now);
}

void Registry::take(uint16_t source, Batch& batch, Time now) {
  for (const SeriesKey& renewed : batch.renewed) {
    const auto known = by_key_.find(key_of(renewed.metric, renewed.entity));
    if (known != by_key_.end()) remove_series(known->second);
  }
  auto begun = batch.starts.begin();
  for (uint32_t i = 0; i < batch.points.size(); ++i) {
    const Point& point = batch.points[i];
    const bool knows_start = begun != batch.starts.end() && begun->point == i;
    const Time start = knows_start ? (begun++)->time : Time{};
    if (row(point.metric).kind == MetricKind::histogram) {
      ++drops_.bad_histogram;
    } else if (Series* series = take(source, point, now); series != nullptr && knows_start) {
      series->start = std::min(start, point.time);
    }
  }
  for (const HistogramPoint& point : batch.histograms) take(source, batch, point, now);
  for (Missing& missing : batch.absences) take(std::move(missing));
  for (Event& event : batch.events) take(std::move(event));
  if (!batch.dressings.empty()) dress(batch.dressings);
  if (batch.ownership) take(source, std::move(batch.ownership), now);
  if (!batch.gone.empty()) {
    if (source != analysis_source_) settle(now);
    end(batch.gone);
  }
  batch.clear();
}

void Registry::take(uint16_t source, std::shared_ptr<const Ownership> ownership, Time now) {
  auto& known = sources_[source].ownership;
  const bool news = !known || !known->says_as(*ownership);
  known = std::move(ownership);
  if (!news) return;
  ++ownership_changes_;
  settle(now);
}

void Registry::set_settler(Analysis* settler) {
  const std::lock_guard lock(mutex_);
  settler_ = settler;
}

void Registry::settle(Time now) {
  if (settler_ == nullptr) return;
  settler_->settle(View(*this, now), settled_);
  take(analysis_source_, settled_, now);
}

void Registry::dress(std::span<const Dressing> dressings) {
  struct Change {
    std::shared_ptr<const Worn> before, after;
    // Nobody was told of it yet, under whatever name: its first readings are the first owner's.
    bool is_new = false;
  };
  std::unordered_map<uint32_t, Change> changed;
  for (const Dressing& dressing : dressings) {
    auto before = entities_.worn(dressing.entity);
    if (!entities_.wear(dressing.entity, dressing.worn)) continue;
    const bool bare = before == nullptr;
    changed.insert_or_assign(dressing.entity.bits, Change{std::move(before), dressing.worn, bare});
  }
  if (changed.empty()) return;
  for (const Series& series : series_) {
    if (!series.live || series.birth > births_told_) continue;
    const auto change = changed.find(entities_.wearer(series.entity).bits);
    if (change != changed.end()) change->second.is_new = false;
  }
  const auto shown = [](MetricKind kind, const std::shared_ptr<const Worn>& worn) {
    return worn && shows(kind, *worn);
  };
  for (Series& series : series_) {
    if (!series.live) continue;
    const auto change = changed.find(entities_.wearer(series.entity).bits);
    if (change == changed.end() || change->second.is_new) continue;
    const MetricKind kind = row(series.metric).kind;
    if (!shown(kind, change->second.before) && !shown(kind, change->second.after)) continue;
    series.birth = ++births_;
    if (kind != MetricKind::gauge) continue;
    series.window = {};
    series.awaited = series.period <= kReadOften;
    if (series.awaited) series.published = false;
  }
}

Series* Registry::take(uint16_t source, const Point& point, Time now) {
  if (!std::isfinite(point.value)) {
    ++drops_.not_finite;
    return nullptr;
  }
  Series* series = series_for(source, point, now);
  if (series == nullptr) return nullptr;

  const bool first = series->arrived == Time{};
  const Duration gap = point.time - series->time;
  if (!first && gap <= Duration::zero()) {
    ++drops_.out_of_order;
    return nullptr;
  }
  series->period = period_of(point);
  // A sample stands for the time since the one before it. After a gap nobody knows.
  double seconds = 0;
  if (first) {
    series->start = point.time;
    seconds = to_seconds(series->period);
  } else if (!is_stale(gap, series->period)) {
    seconds = to_seconds(gap);
    series->integral += point.value * seconds;
  }
  const bool counter = row(point.metric).kind == MetricKind::counter;
  if (counter && !first && point.value < series->last) series->start = series->time;
  if (series->failing) {
    missing_.erase(key_of(point.metric, point.entity));
    series->failing = false;
  }

  Window& window = series->window;
  window.weighted += point.value * seconds;
  window.seconds += seconds;
  window.min = window.count == 0 ? point.value : std::min(window.min, point.value);
  window.max = window.count == 0 ? point.value : std::max(window.max, point.value);
  ++window.count;
  series->awaited = false;
  series->last = point.value;
  series->time_before = first ? point.time : series->time;
  series->time = point.time;
  series->arrived = now;
  return series;
}

void Registry::take(uint16_t source, const Batch& batch, const HistogramPoint& point, Time now) {
  const bool whole = point.first_count + size_t{point.bounds} < batch.count_pool.size();
  const auto bounds = batch.bounds_of(point);
  if (row(point.metric).kind != MetricKind::histogram || !whole || !std::isfinite(point.sum) ||
      !rising(bounds)) {
    ++drops_.bad_histogram;
    return;
  }
  const auto counts = batch.counts_of(point);
  uint64_t count = 0;
  for (const uint64_t n : counts) count += n;
  Series* series = take(
      source, {point.metric, point.period_ds, point.entity, point.time, static_cast<double>(count)},
      now);
  if (series == nullptr) return;

  const bool first = series->histogram == kNoHistogram;
  if (first) {
    if (free_histograms_.empty()) {
      free_histograms_.push_back(static_cast<uint32_t>(histograms_.size()));
      histograms_.emplace_back();
      live_histograms_.emplace_back();
    }
    series->histogram = free_histograms_.back();
    free_histograms_.pop_back();
  }
  Histogram& histogram = live_histograms_[series->histogram];
  // Fewer in one bucket, or other buckets: it began anew although the total may have grown.
  const bool again = !first && (!std::ranges::equal(histogram.bounds, bounds) ||
                                !std::ranges::equal(histogram.counts, counts, std::less_equal{}));
  if (again) series->start = std::max(series->start, series->time_before);
  if (point.start != Time{}) series->start = point.start;
  histogram.bounds.assign(bounds.begin(), bounds.end());
  histogram.counts.assign(counts.begin(), counts.end());
  histogram.sum = point.sum;
}

Series* Registry::series_for(uint16_t source, const Point& point, Time now) {
  const auto found = by_key_.find(key_of(point.metric, point.entity));
  if (found == by_key_.end()) return add_series(source, point);
  Series& series = series_[found->second];
  if (series.source == source) return &series;

  // Another source owns it: the better one takes over, the lesser only fills a gap.
  const uint8_t rank = writer_rank(row(point.metric), sources_[source].name);
  if (rank >= series.rank && !is_stale(now - series.arrived, series.period)) return nullptr;
  --sources_[series.source].series;
  ++sources_[source].series;
  series.source = source;
  series.rank = rank;
  return &series;
}

Series* Registry::add_series(uint16_t source, const Point& point) {
  if (!entities_.alive(point.entity)) {
    ++drops_.entity_gone;
    return nullptr;
  }
  if (sources_[source].series >= limits_.series_per_source) {
    ++drops_.series_limit;
    return nullptr;
  }
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(series_.size()));
    series_.emplace_back();
  }
  const uint32_t slot = free_.back();
  free_.pop_back();
  Series& series = series_[slot];
  series = Series{};
  series.metric = point.metric;
  series.entity = point.entity;
  series.birth = ++births_;
  series.source = source;
  series.rank = writer_rank(row(point.metric), sources_[source].name);
  series.live = true;
  ++sources_[source].series;
  by_key_.emplace(key_of(point.metric, point.entity), slot);
  const auto metric = static_cast<size_t>(point.metric);
  if (metric >= by_metric_.size()) by_metric_.resize(metric_count());
  by_metric_[metric].push_back(slot);
  series.failing = true;  // if it was missing until now, the first point says otherwise
  return &series;
}

void Registry::remove_series(uint32_t slot) {
  std::erase(by_metric_[static_cast<size_t>(series_[slot].metric)], slot);
  release_series(slot);
}

void Registry::release_series(uint32_t slot) {
  Series& series = series_[slot];
  --sources_[series.source].series;
  if (series.histogram != kNoHistogram) free_histograms_.push_back(series.histogram);
  by_key_.erase(key_of(series.metric, series.entity));
  series = Series{};
  free_.push_back(slot);
}

void Registry::take(Missing&& missing) {
  const Key key = key_of(missing.metric, missing.entity);
  if (const auto series = by_key_.find(key); series != by_key_.end()) {
    series_[series->second].failing = true;
  }
  missing_.insert_or_assign(key, std::move(missing));
}

void Registry::take(Event&& event) {
  if (pending_events_.size() >= limits_.events) {
    ++drops_.events_limit;
    return;
  }
  // Whose it was when it happened, not whose it is when it is told. One that names an owner itself
  // is about that one.
  const auto worn = entities_.worn(event.entity);
  if (worn && event.attribute("owner.kind").empty()) {
    for (const Attribute& a : worn->attributes) {
      if (event.attribute(a.key).empty()) event.attributes.push_back(a);
    }
  }
  pending_events_.push_back(std::move(event));
}

void Registry::end(std::span<const EntityId> entities) {
  std::unordered_set<uint32_t> gone;
  entities_.remove(entities, [&](EntityId id) { gone.insert(id.bits); });
  remove_series_if([&](const Series& series) { return gone.contains(series.entity.bits); });
  std::erase_if(missing_, [&](const auto& item) { return gone.contains(item.second.entity.bits); });
}

// Many at once, with one look at each list.
template <typename Which>
void Registry::remove_series_if(const Which& which) {
  std::unordered_set<size_t> touched;
  for (uint32_t slot = 0; slot < series_.size(); ++slot) {
    if (!series_[slot].live || !which(series_[slot])) continue;
    touched.insert(static_cast<size_t>(series_[slot].metric));
    release_series(slot);
  }
  for (const size_t metric : touched) {
    std::erase_if(by_metric_[metric], [&](uint32_t slot) { return !series_[slot].live; });
  }
}

void Registry::fold(Series& series, Time now) const {
  series.published = series.source == analysis_source_
                         ? series.arrived == now
                         : !is_stale(now - series.arrived, series.period) && !series.awaited;
  if (!series.published) {
    series.window = {};
    return;
  }
  const Window& window = series.window;
  const bool mean = row(series.metric).fold == Fold::mean && window.seconds > 0;
  if (mean) series.value = window.weighted / window.seconds;
  if (!mean && window.count > 0) series.value = series.last;
  series.value_time = series.time;
}

void Registry::publish(Time now, std::span<Analysis* const> analyses) {
  const std::lock_guard lock(mutex_);
  forget_long_stale(now);
  for (Series& series : series_) {
    if (series.live) fold(series, now);
  }
  for (Analysis* analysis : analyses) {
    analysis->absorb(pending_events_, analysis_batch_);
    analysis->run(View(*this, now), analysis_batch_);
    take(analysis_source_, analysis_batch_, now);
    for (Series& series : series_) {
      if (series.live && series.source == analysis_source_) fold(series, now);
    }
  }

  samples_.clear();
  for (const std::vector<uint32_t>& slots : by_metric_) {
    for (const uint32_t slot : slots) {
      Series& series = series_[slot];
      if (series.published) {
        samples_.push_back({slot, series.birth, series.value_time, series.value});
        if (series.histogram != kNoHistogram) {
          histograms_[series.histogram] = live_histograms_[series.histogram];
        }
      }
      series.window = {};
    }
  }
  std::swap(published_events_, pending_events_);
  pending_events_.clear();
  for (const Event& event : published_events_) {
    recent_.push_back(event);
    if (recent_.size() > limits_.events) recent_.pop_front();
  }
  interval_ = published_at_ == Time{} ? Duration::zero() : now - published_at_;
  published_at_ = now;
  births_told_ = births_;
}

void Registry::forget_long_stale(Time now) {
  remove_series_if([&](const Series& series) {
    return now - series.arrived > kForgetAfter + 2 * series.period;
  });
}

std::vector<Event> Registry::recent_events() const {
  const std::lock_guard lock(mutex_);
  return {recent_.begin(), recent_.end()};
}

size_t Registry::series_count(std::string_view source) const {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(sources_, source, &SourceInfo::name);
  return known == sources_.end() ? 0 : known->series;
}

DropCounts Registry::drops() const {
  const std::lock_guard lock(mutex_);
  return drops_;
}

}  // namespace warpsight

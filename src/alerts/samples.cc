#include "alerts/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alerts/fingerprint.h"
#include "core/attributes.h"

namespace warpsight::alerts {
namespace {

constexpr uint32_t kRefused = UINT32_MAX;
constexpr size_t kMaxRefused = 100'000;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Prometheus' own arithmetic: the mean of equal numbers is that number, to the last bit.
class Mean {
 public:
  void add(double value) {
    ++count_;
    const double step = value / count_ - mean_ / count_;
    const double next = mean_ + step;
    rest_ += std::abs(mean_) >= std::abs(step) ? (mean_ - next) + step : (step - next) + mean_;
    mean_ = next;
  }
  double value() const { return mean_ + rest_; }

 private:
  double count_ = 0;
  double mean_ = 0;
  double rest_ = 0;  // what rounding took
};

Duration need_of(const Term& term) {
  if (term.take == Take::last) {
    return term.before > Duration::zero() ? term.before + kLookback : Duration{};
  }
  return term.before + term.over;
}

std::vector<Attribute> sorted_attributes(const View& view, const Series& series) {
  auto attributes = attributes_of(view.entities(), series.entity, &row(series.metric));
  std::erase_if(attributes, [](const Attribute& a) { return a.value.empty(); });
  std::ranges::sort(attributes, {}, &Attribute::key);
  return attributes;
}

void index(Feed& feed) {
  feed.by_birth.clear();
  feed.by_key.clear();
  for (uint32_t i = 0; i < feed.tracks.size(); ++i) {
    feed.by_birth.emplace(feed.tracks[i].birth, i);
    feed.by_key.emplace(feed.tracks[i].key, i);
  }
  ++feed.version;
}

}  // namespace

void Samples::require(const std::vector<Rule>& rules) {
  std::vector<std::unique_ptr<Feed>> before = std::exchange(feeds_, {});
  longest_ = {};
  const auto want = [&](const Term& term) {
    auto known = std::ranges::find(feeds_, term.metric, [](const auto& f) { return f->name; });
    if (known == feeds_.end()) {
      const auto old =
          std::ranges::find_if(before, [&](const auto& f) { return f && f->name == term.metric; });
      feeds_.push_back(old == before.end() ? std::make_unique<Feed>(Feed{term.metric})
                                           : std::move(*old));
      feeds_.back()->need = {};
      known = std::prev(feeds_.end());
    }
    (*known)->need = std::max((*known)->need, need_of(term));
    longest_ = std::max(longest_, need_of(term));
  };
  for (const Rule& rule : rules) {
    for (const Condition& condition : rule.conditions) {
      if (!rule.enabled) continue;
      want(condition.term);
      if (condition.other) want(*condition.other);
    }
  }
  kept_ = 0;
  for (const auto& feed : feeds_) kept_ += feed->tracks.size() * feed->capacity;
}

const Feed& Samples::feed(const std::string& metric) const {
  return **std::ranges::find(feeds_, metric, [](const auto& f) { return f->name; });
}

void Samples::take(const View& view) {
  begin_publish(view.now());
  for (const auto& feed : feeds_) take(view, *feed);
}

void Samples::begin_publish(Time now) {
  // The clock was set back: what was seen "later" cannot be placed.
  if (!times_.empty() && now <= times_.back()) {
    times_.clear();
    for (const auto& feed : feeds_) {
      for (Track& track : feed->tracks) std::ranges::fill(track.values, kNothing);
    }
  }
  ++sequence_;
  times_.push_back(now);
  while (times_.front() < now - longest_) times_.pop_front();
}

uint64_t Samples::first_at_or_after(Time time) const {
  const auto found = std::ranges::lower_bound(times_, time);
  return sequence_ - static_cast<uint64_t>(times_.end() - found) + 1;
}

void Samples::take(const View& view, Feed& feed) {
  if (!feed.metric) feed.metric = find_metric(feed.name);
  make_room(feed);
  const size_t place = sequence_ % feed.capacity;
  for (Track& track : feed.tracks) track.values[place] = kNothing;
  if (feed.metric) {
    view.for_each(*feed.metric, [&](const Series& series) {
      Track* track = track_of(view, feed, series);
      if (track == nullptr) return;
      track->seen = sequence_;
      track->seen_at = view.now();
      track->values[place] = series.value;
    });
  }
  forget_absent(feed);
}

Track* Samples::track_of(const View& view, Feed& feed, const Series& series) {
  if (const auto known = feed.by_birth.find(series.birth); known != feed.by_birth.end()) {
    return known->second == kRefused ? nullptr : &feed.tracks[known->second];
  }
  Track fresh;
  fresh.attributes = sorted_attributes(view, series);
  fresh.key = fingerprint(fresh.attributes);
  fresh.birth = series.birth;
  fresh.entity = series.entity;
  const auto same = feed.by_key.find(fresh.key);
  if (same == feed.by_key.end()) return add_track(feed, std::move(fresh));
  Track& track = feed.tracks[same->second];
  if (track.seen == sequence_) return nullptr;
  feed.by_birth.erase(track.birth);
  feed.by_birth.emplace(series.birth, same->second);
  track.birth = series.birth;
  track.entity = series.entity;
  return &track;
}

Track* Samples::add_track(Feed& feed, Track&& track) {
  if (kept_ + feed.capacity > kMaxKeptValues) {
    feed.by_birth.emplace(track.birth, kRefused);
    ++dropped_;
    return nullptr;
  }
  kept_ += feed.capacity;
  track.values.assign(feed.capacity, kNothing);
  const auto place = static_cast<uint32_t>(feed.tracks.size());
  feed.by_birth.emplace(track.birth, place);
  feed.by_key.emplace(track.key, place);
  feed.tracks.push_back(std::move(track));
  ++feed.version;
  return &feed.tracks.back();
}

void Samples::make_room(Feed& feed) {
  const uint64_t wanted = sequence_ - first_at_or_after(times_.back() - feed.need) + 1;
  if (wanted <= feed.capacity) return;
  const size_t capacity = std::min(kMaxRing, std::max<size_t>(2 * feed.capacity, wanted));
  const size_t more = (capacity - feed.capacity) * feed.tracks.size();
  if (capacity <= feed.capacity || kept_ + more > kMaxKeptValues) return;
  kept_ += more;
  const uint64_t oldest = sequence_ > feed.capacity ? sequence_ - feed.capacity : 0;
  for (Track& track : feed.tracks) {
    std::vector<double> values(capacity, kNothing);
    for (uint64_t s = oldest; s < sequence_; ++s) {
      values[s % capacity] = track.values[s % feed.capacity];
    }
    track.values = std::move(values);
  }
  feed.capacity = capacity;
}

void Samples::forget_absent(Feed& feed) {
  const Time horizon = times_.back() - std::max(feed.need, kLookback);
  const auto gone = [&](const Track& track) { return track.seen_at < horizon; };
  const bool crowded = feed.by_birth.size() > feed.tracks.size() + kMaxRefused;
  if (!crowded && std::ranges::none_of(feed.tracks, gone)) return;
  kept_ -= std::erase_if(feed.tracks, gone) * feed.capacity;
  index(feed);
}

Samples::Span Samples::span_of(const Term& term) const {
  const Time at = times_.back() - term.before;
  const uint64_t end = first_at_or_after(at + Duration{1});  // the first after `at`
  if (term.take != Take::last) return {first_at_or_after(at - term.over), end - 1};
  const uint64_t oldest = first_at_or_after(at - kLookback + Duration{1});
  return end > oldest ? Span{end - 1, end - 1} : Span{};
}

double Samples::value(const Feed& feed, const Track& track, const Term& term, Span span) const {
  const uint64_t oldest = sequence_ >= feed.capacity ? sequence_ - feed.capacity + 1 : 0;
  span.first = std::max(span.first, oldest);
  if (span.first > span.last) return kNothing;
  const auto at = [&](uint64_t sequence) { return track.values[sequence % feed.capacity]; };
  const double latest = at(span.last);
  if (term.take == Take::last) return latest;
  Mean mean;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (uint64_t s = span.first; s <= span.last; ++s) {
    const double value = at(s);
    if (std::isnan(value)) continue;
    if (term.take == Take::mean) mean.add(value);
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  if (lowest > highest) return kNothing;
  switch (term.take) {
    case Take::mean: return mean.value();
    case Take::min: return lowest;
    case Take::max: return highest;
    case Take::rise: return latest - lowest;
    case Take::last: break;
  }
  return latest;
}

}  // namespace warpsight::alerts

// The last publishes of the series that rules look at, as a Prometheus that scrapes at every
// publish would have them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "alerts/rule.h"
#include "core/catalogue.h"
#include "core/clock.h"
#include "core/registry.h"

namespace warpsight::alerts {

// How long a value stands for an instant after it, when nothing says that its series ended.
inline constexpr Duration kLookback = std::chrono::minutes{5};
// Of one series, and of all together: 32 MB.
inline constexpr size_t kMaxRing = 16'384;
inline constexpr size_t kMaxKeptValues = size_t{4} << 20;

// A series by its attributes: one that ends and comes back is the same.
struct Track {
  std::vector<Attribute> attributes;  // by key, none of them empty
  uint64_t key = 0;                   // their fingerprint
  uint32_t birth = 0;                 // of the registry's series that feeds it
  EntityId entity;
  uint64_t seen = 0;  // publish at which it was there last
  Time seen_at{};
  std::vector<double> values;  // ring over publishes; NaN where it was not published
};

// The series of one metric.
struct Feed {
  std::string name;
  std::optional<Metric> metric = {};  // once something has declared it
  Duration need{};                    // how far back rules look
  size_t capacity = 1;                // of the rings
  std::vector<Track> tracks = {};
  uint64_t version = 1;  // changes when a track comes or goes
  std::unordered_map<uint32_t, uint32_t> by_birth = {};
  std::unordered_map<uint64_t, uint32_t> by_key = {};
};

class Samples {
 public:
  // Publishes, by number, both ends included; empty when first > last.
  struct Span {
    uint64_t first = 1;
    uint64_t last = 0;
  };

  // From now on, exactly what these rules look at is kept; values of metrics that stay are, too.
  void require(const std::vector<Rule>& rules);

  void take(const View& view);

  // Stays until the next require(); the term's metric must have been required.
  const Feed& feed(const std::string& metric) const;

  // What a term looks at now.
  Span span_of(const Term& term) const;
  // NaN when there is nothing.
  double value(const Feed& feed, const Track& track, const Term& term, Span span) const;
  bool is_there(const Track& track) const { return track.seen == sequence_; }

  // Series that the bound on values cost.
  uint64_t dropped() const { return dropped_; }

 private:
  void begin_publish(Time now);
  void take(const View& view, Feed& feed);
  Track* track_of(const View& view, Feed& feed, const Series& series);
  Track* add_track(Feed& feed, Track&& track);
  void make_room(Feed& feed);
  void forget_absent(Feed& feed);
  uint64_t first_at_or_after(Time time) const;

  std::vector<std::unique_ptr<Feed>> feeds_;
  std::deque<Time> times_;  // of the publishes up to sequence_
  uint64_t sequence_ = 0;
  Duration longest_{};
  size_t kept_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace warpsight::alerts

#include "analysis/serving_windows.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "core/histogram_quantile.h"

namespace warpsight {
namespace {

// A series may be stale for ten minutes before the registry forgets it.
constexpr Duration kForgetAfter = std::chrono::minutes{11};

struct Latency {
  Metric metric;
  std::string_view name;
};
constexpr Latency kLatencies[] = {
    {Metric::llm_ttft, "ttft"},
    {Metric::llm_itl, "itl"},
    {Metric::llm_tpot, "tpot"},
    {Metric::llm_request_latency, "request"},
    {Metric::llm_queue_latency, "queue"},
    {Metric::llm_prefill_duration, "prefill"},
    {Metric::llm_decode_duration, "decode"},
};

// In the order of ServingWindows::kQuantiles.
constexpr std::array<double, ServingWindows::kQuantiles.size()> kShares = {0.5, 0.9, 0.95, 0.99};

std::vector<WindowRule> common_rules() {
  using Kind = WindowRule::Kind;
  using Part = WindowTerm::Part;
  return {
      {Metric::llm_request_rate, Kind::rate, {{Metric::llm_requests_finished}}},
      {Metric::llm_error_share,
       Kind::ratio,
       {{Metric::llm_requests_failed}},
       {{Metric::llm_requests_finished}, {Metric::llm_requests_failed}}},
      {Metric::llm_prompt_throughput, Kind::rate, {{Metric::llm_tokens_prompt}}},
      {Metric::llm_generation_throughput, Kind::rate, {{Metric::llm_tokens_generation}}},
      {Metric::llm_prefix_cache_hits,
       Kind::ratio,
       {{Metric::llm_prefix_cache_cached_tokens}},
       {{Metric::llm_prefix_cache_queried_tokens}}},
      {Metric::llm_spec_decode_accepted,
       Kind::ratio,
       {{Metric::llm_spec_decode_accepted_tokens}},
       {{Metric::llm_spec_decode_draft_tokens}}},
      {Metric::llm_decode_efficiency,
       Kind::ratio,
       {{Metric::llm_decode_duration, Part::sum}},
       {{Metric::llm_request_latency, Part::sum}}},
  };
}

bool fits(const WindowTerm& term) {
  const bool of_counter = term.part == WindowTerm::Part::value;
  return row(term.metric).kind == (of_counter ? MetricKind::counter : MetricKind::histogram);
}

// A bit for each term.
template <typename Terms>
uint64_t every_bit(const Terms& terms) {
  return (uint64_t{1} << terms.size()) - 1;
}

}  // namespace

// A start that is not before its own point says nothing, as nothing is counted in no time: it was
// not known, or the engine's clock is ahead of ours.
bool ServingWindows::Track::began_anew(const Series& series) const {
  const bool both_known = start < time && series.start < series.time;
  return both_known && series.start != start && series.start >= time;
}

void ServingWindows::Track::follow(const Series& series, const Histogram* newest) {
  if (series.time == time) return;
  const bool first = time == Time{};
  seconds = to_seconds(series.time - time);
  if (newest != nullptr) {
    known = gain_buckets(series, *newest) && !first;
    histogram = *newest;
  } else {
    known = !first;
    const bool anew = series.last < last || began_anew(series);
    gain = anew ? series.last : series.last - last;
  }
  time = series.time;
  start = series.start;
  last = series.last;
}

// False when what was counted before cannot be told from what was counted since.
bool ServingWindows::Track::gain_buckets(const Series& series, const Histogram& newest) {
  const bool other_bounds = histogram.bounds != newest.bounds;
  const bool fell =
      other_bounds || !std::ranges::equal(histogram.counts, newest.counts, std::less_equal{});
  const bool anew = fell || began_anew(series);
  bucket_gains = newest.counts;
  for (size_t i = 0; !anew && i < bucket_gains.size(); ++i) bucket_gains[i] -= histogram.counts[i];
  uint64_t count = 0;
  for (const uint64_t n : bucket_gains) count += n;
  gain = static_cast<double>(count);
  // A sum that an engine adds up anew at each scrape may fall by a rounding error.
  sum_gain = anew ? newest.sum : std::max(0.0, newest.sum - histogram.sum);
  return !other_bounds || (began_anew(series) && series.start > time);
}

ServingWindows::ServingWindows(EntityTable& entities) : entities_(entities) {
  for (const Latency& latency : kLatencies) latencies_.push_back(input_of(latency.metric));
  for (const WindowRule& rule : common_rules()) add_rule(rule);
}

size_t ServingWindows::input_of(Metric metric) {
  const auto known = std::ranges::find(inputs_, metric, &Input::metric);
  const auto index = static_cast<size_t>(known - inputs_.begin());
  if (known == inputs_.end()) inputs_.push_back({metric, {}});
  return index;
}

void ServingWindows::add_rule(const WindowRule& rule) {
  if (!std::ranges::all_of(rule.over, fits) || !std::ranges::all_of(rule.under, fits)) return;
  Rule& added = rules_.emplace_back(Rule{rule.to, rule.kind, {}, {}});
  for (const WindowTerm& term : rule.over) {
    added.over.push_back({input_of(term.metric), term.part});
  }
  for (const WindowTerm& term : rule.under) {
    added.under.push_back({input_of(term.metric), term.part});
  }
}

void ServingWindows::run(const View& view, Batch& out) {
  now_ = view.now();
  out.begin(now_, std::chrono::seconds{1});
  if (window_rule_count() > taken_rules_) {
    const std::vector<WindowRule> added = window_rules(taken_rules_);
    for (const WindowRule& rule : added) add_rule(rule);
    taken_rules_ += added.size();
  }
  for (Input& input : inputs_) follow(view, input);
  forget_ended(now_);
  values_.clear();
  for (size_t rule = 0; rule < rules_.size(); ++rule) compute(rule);
  tell_values(out);
  for (size_t latency = 0; latency < latencies_.size(); ++latency) tell_quantiles(latency, out);
}

EntityId ServingWindows::owner_of(EntityId entity) const {
  for (const EntityKind kind :
       {EntityKind::model, EntityKind::engine, EntityKind::mig, EntityKind::gpu}) {
    if (const EntityId found = entities_.ancestor(entity, kind)) return found;
  }
  return entity;
}

void ServingWindows::follow(const View& view, Input& input) {
  view.for_each(input.metric, [&](const Series& series) {
    const auto [found, is_new] = input.tracks.try_emplace(series.birth);
    Track& track = found->second;
    if (is_new) {
      track.entity = series.entity;
      track.owner = owner_of(series.entity);
    }
    track.seen = now_;
    track.follow(series, view.histogram_of(series));
  });
}

void ServingWindows::forget_ended(Time now) {
  size_t ended = 0;
  for (Input& input : inputs_) {
    ended += std::erase_if(input.tracks, [&](const auto& item) {
      const Track& track = item.second;
      if (track.seen == now) return false;
      return now - track.seen > kForgetAfter || !entities_.alive(track.entity);
    });
  }
  if (ended == 0) return;
  std::erase_if(quantile_entities_, [&](const auto& item) {
    return !entities_.alive(EntityId{static_cast<uint32_t>(item.first)});
  });
}

void ServingWindows::collect(std::span<const Term> terms, bool under) {
  for (const Term& term : terms) {
    const auto place = static_cast<uint32_t>(&term - terms.data());
    for (const auto& [birth, track] : inputs_[term.input].tracks) {
      if (track.seen != now_ || !track.known) continue;
      const double gained = term.part == WindowTerm::Part::sum ? track.sum_gain : track.gain;
      shares_.push_back({track.owner, under, place, gained / track.seconds});
    }
  }
}

void ServingWindows::compute(size_t rule) {
  const auto& [to, kind, over_terms, under_terms] = rules_[rule];
  shares_.clear();
  collect(over_terms, false);
  if (shares_.empty()) return;
  collect(under_terms, true);
  std::ranges::sort(shares_, {}, [](const Share& s) { return s.owner.bits; });
  for (auto share = shares_.begin(); share != shares_.end();) {
    const EntityId owner = share->owner;
    double over = 0;
    double under = 0;
    uint64_t over_seen = 0;
    uint64_t under_seen = 0;
    for (; share != shares_.end() && share->owner == owner; ++share) {
      (share->under ? under : over) += share->per_second;
      (share->under ? under_seen : over_seen) |= uint64_t{1} << share->term;
    }
    const bool known = over_seen == every_bit(over_terms) && under_seen == every_bit(under_terms);
    if (known && kind == WindowRule::Kind::rate) values_.push_back({to, owner, rule, over});
    if (known && kind == WindowRule::Kind::ratio && under > 0) {
      values_.push_back({to, owner, rule, over / under});
    }
  }
}

void ServingWindows::tell_values(Batch& out) {
  std::ranges::sort(values_, {},
                    [](const Value& v) { return std::tuple(v.to, v.owner.bits, v.rule); });
  const Value* told = nullptr;
  for (const Value& value : values_) {
    const bool again = told != nullptr && told->to == value.to && told->owner == value.owner;
    if (!again) out.add(value.to, value.owner, value.value);
    told = &value;
  }
}

void ServingWindows::tell_quantiles(size_t latency, Batch& out) {
  members_.clear();
  for (const auto& [birth, track] : inputs_[latencies_[latency]].tracks) {
    const bool told = track.seen == now_ && track.known && track.gain > 0;
    if (told && !track.histogram.bounds.empty()) members_.push_back(&track);
  }
  std::ranges::sort(members_, {}, [](const Track* t) {
    return std::tuple<uint32_t, const std::vector<double>&>(t->owner.bits, t->histogram.bounds);
  });
  const std::span<const Track* const> members(members_);
  for (size_t first = 0; first < members.size();) {
    const EntityId owner = members[first]->owner;
    most_.total = 0;
    while (first < members.size() && members[first]->owner == owner) {
      size_t end = first + 1;
      while (end < members.size() && members[end]->owner == owner &&
             members[end]->histogram.bounds == members[first]->histogram.bounds) {
        ++end;
      }
      add_up(members.subspan(first, end - first), candidate_);
      if (candidate_.total > most_.total) std::swap(candidate_, most_);
      first = end;
    }
    tell(latency, owner, most_, out);
  }
}

void ServingWindows::add_up(std::span<const Track* const> members, Distribution& into) const {
  into.bounds = &members.front()->histogram.bounds;
  into.counts.assign(into.bounds->size() + 1, 0);
  for (const Track* member : members) {
    std::ranges::transform(into.counts, member->bucket_gains, into.counts.begin(), std::plus{});
  }
  into.total = 0;
  for (const uint64_t count : into.counts) into.total += count;
}

void ServingWindows::tell(size_t latency, EntityId owner, const Distribution& of, Batch& out) {
  QuantileEntities& entities = quantile_entities_[(uint64_t{latency} << 32) | owner.bits];
  for (size_t i = 0; i < kQuantiles.size(); ++i) {
    EntityId& entity = entities[i];
    if (!entity) {
      entity = entities_.intern(EntityKind::facet, owner,
                                {{"llm.latency", kLatencies[latency].name}, {"q", kQuantiles[i]}});
    }
    const auto value = histogram_quantile(*of.bounds, of.counts, kShares[i]);
    if (entity && value) out.add(Metric::llm_latency_quantile, entity, *value);
  }
}

}  // namespace warpsight

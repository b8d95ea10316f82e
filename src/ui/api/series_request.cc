#include "ui/api/series_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "core/nearest.h"
#include "ui/api/time_text.h"

namespace warpsight {
namespace {

constexpr Duration kDefaultRange = std::chrono::hours{1};

struct Request {
  Time now;
  SeriesQuery query = {};
  std::optional<Time> from = {};
};

Result<> take_metric(Request& request, std::string_view value) {
  if (value.empty()) return fail("metric is empty", "name a metric, like gpu.utilization");
  auto& metrics = request.query.metrics;
  if (metrics.size() == kMaxMetrics) {
    return fail(fmt::format("more than {} metrics", kMaxMetrics),
                "ask for them in several requests");
  }
  if (std::ranges::find(metrics, value) == metrics.end()) metrics.emplace_back(value);
  return {};
}

Result<> take_aggregate(Request& request, std::string_view value) {
  if (const auto aggregate = find_aggregate(value)) {
    request.query.aggregate = *aggregate;
    return {};
  }
  constexpr std::array kAggregates = {Aggregate::mean, Aggregate::min, Aggregate::max,
                                      Aggregate::last, Aggregate::rate};
  std::array<std::string_view, kAggregates.size()> names;
  std::ranges::transform(kAggregates, names.begin(), [](Aggregate a) { return to_string(a); });
  const std::string_view meant = nearest(value, names);
  return fail(fmt::format("there is no aggregate {}", quoted(value)),
              meant.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                            : fmt::format("did you mean {}?", meant));
}

constexpr ParameterRule<Request> kRules[] = {
    {"metric", true, take_metric},
    {"match", true,
     [](Request& r, std::string_view value) { return take_matcher(r.query.matchers, value); }},
    {"from", false,
     [](Request& r, std::string_view value) {
       return parse_time(value, r.now).map([&](Time t) { r.from = t; });
     }},
    {"to", false,
     [](Request& r, std::string_view value) {
       return parse_time(value, r.now).map([&](Time t) { r.query.to = t; });
     }},
    {"step", false,
     [](Request& r, std::string_view value) -> Result<> {
       const auto step = parse_seconds_or_duration(value);
       if (!step) return tl::unexpected(step.error());
       if (*step < std::chrono::seconds{1}) {
         return fail(fmt::format("step {} is too short", quoted(value)), "give 1s or more");
       }
       r.query.step = std::chrono::round<std::chrono::milliseconds>(*step);
       return {};
     }},
    {"aggregate", false, take_aggregate},
    {"limit", false,
     [](Request& r, std::string_view value) {
       return parse_limit(value, kMaxSeries).map([&](size_t n) { r.query.limit = n; });
     }},
};

}  // namespace

Result<SeriesQuery> parse_series_request(const Parameters& parameters, Time now) {
  Request request{now};
  request.query.to = now;
  if (auto taken = take_parameters(parameters, kRules, request); !taken) {
    return tl::unexpected(std::move(taken).error());
  }
  SeriesQuery& query = request.query;
  query.from = request.from.value_or(query.to - kDefaultRange);
  if (auto sane = check(query); !sane) return tl::unexpected(std::move(sane).error());
  return std::move(query);
}

}  // namespace warpsight

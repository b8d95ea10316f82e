#include "history/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "history/step_grid.h"

namespace warpsight {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"mean", "min", "max", "last", "rate"};
constexpr Duration kShortestStep = std::chrono::seconds{1};
// Far enough from what nanoseconds can say to add a step to.
constexpr Time kLastTime{std::chrono::sys_days{std::chrono::year{2200} / 1 / 1}};

}  // namespace

std::string_view to_string(Aggregate aggregate) { return kNames[static_cast<size_t>(aggregate)]; }

std::optional<Aggregate> find_aggregate(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Aggregate>(found - kNames.begin());
}

Result<> check(const SeriesQuery& query) {
  if (query.metrics.empty()) {
    return fail("no metric is named", "name one; `warpsight metrics` lists them");
  }
  if (query.from >= query.to) return fail("the range ends before it begins", "give from < to");
  if (query.from < Time{}) return fail("the range begins before 1970", "give a later time");
  if (query.to > kLastTime) return fail("the range ends after 2199", "give an earlier time");
  if (query.step == Duration::zero()) return {};
  if (query.step < kShortestStep) {
    return fail("the step is shorter than a second", "give a step of 1s or more");
  }
  if (query.step > kLongestStep) {
    return fail("the step is longer than 366 days", "give a shorter one");
  }
  if (StepGrid(query.from, query.to, query.step).steps > kMaxSteps) {
    const Duration least = (query.to - query.from) / (kMaxSteps - 1);
    return fail(fmt::format("these are more than {} steps", kMaxSteps),
                fmt::format("give a step of at least {}s, or a shorter range",
                            std::chrono::ceil<std::chrono::seconds>(least).count()));
  }
  return {};
}

}  // namespace warpsight

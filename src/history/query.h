// What can be asked of the history, and the answers. The command line, the HTTP interface and the
// page ask the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/batch.h"
#include "core/catalogue.h"
#include "core/clock.h"
#include "core/entity.h"
#include "core/matcher.h"
#include "core/result.h"

namespace warpsight {

// What one step of an answer says of the samples in it.
enum class Aggregate : uint8_t {
  mean,
  min,
  max,
  last,
  rate,  // of a counter: what it gained, resets left out, over the seconds it took
};

std::string_view to_string(Aggregate aggregate);
std::optional<Aggregate> find_aggregate(std::string_view name);

inline constexpr size_t kMaxSteps = 11'000;    // of one answer's series
inline constexpr size_t kMaxPoints = 500'000;  // of one answer
inline constexpr Duration kLongestStep = std::chrono::hours{24} * 366;

struct SeriesQuery {
  std::vector<std::string> metrics;  // names; one at least
  std::vector<Matcher> matchers;
  Time from{};
  Time to{};
  Duration step{};  // whole milliseconds; zero: chosen so that there are some 600
  Aggregate aggregate = Aggregate::mean;
  size_t limit = 200;  // series; the rest is counted
};

struct SeriesAnswer {
  struct Row {
    std::string metric;
    std::string unit;
    MetricKind kind = MetricKind::gauge;
    std::vector<Attribute> attributes;
    std::vector<double> values;  // one a step; NaN: nothing was published then
  };
  Time first{};  // where the first step begins: a multiple of the step
  Duration step{};
  size_t steps = 0;
  std::vector<Row> rows;  // by metric as asked, then by attributes
  size_t left_out = 0;    // series beyond the limit, or beyond kMaxPoints
};

struct EventQuery {
  Time from{};
  Time to{};
  std::vector<std::string> names = {};  // one of them; "gpu.*" is all that begin so; none: all
  Severity least = Severity::info;
  std::vector<Matcher> matchers = {};
  size_t limit = 200;
};

struct KeptEvent {
  Time time{};
  std::string name;
  Severity severity = Severity::info;
  std::string message;
  std::vector<Attribute> attributes;  // its own and its entity's
};

struct EventAnswer {
  std::vector<KeptEvent> events;  // newest first
  bool more = false;              // there are older ones beyond the limit
};

// A series that the history knows, without its samples.
struct KnownSeries {
  std::string metric;
  std::string unit;
  MetricKind kind = MetricKind::gauge;
  std::vector<Attribute> attributes;
  Time first{};
  Time last{};
};

// Why there is no answer.
struct QueryError : Error {
  enum class Cause : uint8_t {
    store,     // it cannot be read
    question,  // nobody could answer it
  };

  QueryError(Error error, Cause why = Cause::store) : Error(std::move(error)), cause(why) {}

  Cause cause;
};

// Checks bounds that every way to ask shares: a metric named, from < to, both between 1970 and
// 2200, a step of a second to kLongestStep, no more than kMaxSteps.
Result<> check(const SeriesQuery& query);

}  // namespace warpsight

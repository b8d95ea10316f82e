// What a request to the HTTP interface says: a query ("metric=...&from=...") or, when it begins
// with
// '{', the body of a silence. Whatever comes, the answer is a question within its bounds or an
// error that says what to do.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "alerts/silences.h"
#include "ui/api/events_request.h"
#include "ui/api/latest_request.h"
#include "ui/api/series_request.h"
#include "ui/api/silence_request.h"
#include "ui/query_parameters.h"

namespace {

using namespace warpsight;

void require(bool holds) {
  if (!holds) std::abort();
}

void require_hint(const Error& error) {
  constexpr size_t kLongest = 600;
  require(!error.message.empty() && !error.hint.empty());
  require(error.message.size() + error.hint.size() < kLongest);
}

void silence(std::string_view body) {
  const auto request = parse_silence_request(body);
  if (!request) return require_hint(request.error());
  require(!request->matchers.empty() && request->matchers.size() <= kMaxMatchers);
  require(request->lasts > Duration::zero() && request->lasts <= alerts::kLongestSilence);
  require(request->comment.size() <= 4 * kMaxSilenceComment);
  for (const Matcher& matcher : request->matchers) {
    require(!matcher.key.empty() && !matcher.values.empty());
  }
}

void questions(const Parameters& parameters) {
  constexpr Time kNow{std::chrono::seconds{1'700'000'000}};
  if (const auto series = parse_series_request(parameters, kNow); !series) {
    require_hint(series.error());
  } else {
    require(!series->metrics.empty() && series->metrics.size() <= kMaxMetrics);
    require(Time{} <= series->from && series->from < series->to);
    require(series->limit >= 1 && series->limit <= kMaxSeries);
  }
  if (const auto events = parse_events_request(parameters, kNow); !events) {
    require_hint(events.error());
  } else {
    require(events->from < events->to && events->limit >= 1 && events->limit <= kMaxEvents);
  }
  if (const auto latest = parse_latest_request(parameters); !latest) require_hint(latest.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('{')) {
    silence(bytes);
  } else if (const auto parameters = parse_query(bytes)) {
    questions(*parameters);
  }
  return 0;
}

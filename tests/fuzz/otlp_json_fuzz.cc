// Messages from a spool: whatever the bytes, what is sent as JSON is valid UTF-8 on one line with
// its brackets closed, and a request that can be sliced is the sum of its slices.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "wire/otlp/json_cursor.h"
#include "wire/otlp/json_transcoder.h"
#include "wire/otlp/metrics_slices.h"
#include "wire/utf8.h"

namespace {

using namespace warpsight;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(std::string_view json) {
  require(json.find('\n') == std::string_view::npos);
  otlp::JsonCursor cursor(json);
  require(cursor.skip() && cursor.at_end());
  while (!json.empty()) {
    const Utf8Part part = next_utf8(json);
    require(part.valid);
    json.remove_prefix(part.size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view request(reinterpret_cast<const char*>(data), size);
  std::string json;
  if (otlp::append_metrics_json(json, request)) check(json);
  json.clear();
  if (otlp::append_logs_json(json, request)) check(json);
  const auto slices = otlp::MetricsSlices::of(request);
  if (!slices) return 0;
  const size_t points = slices->points();
  const size_t middle = points / 2;
  size_t sum = 0;
  for (const auto& [first, last] : {std::pair{size_t{0}, middle}, std::pair{middle, points}}) {
    if (first == last) continue;
    const std::string part = slices->slice(first, last);
    const auto again = otlp::MetricsSlices::of(part);
    require(again.has_value());
    sum += again->points();
  }
  require(sum == points);
  return 0;
}

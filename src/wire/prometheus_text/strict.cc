#include "wire/prometheus_text/strict.h"

#include "wire/prometheus_text/classic_rules.h"
#include "wire/prometheus_text/open_metrics_rules.h"
#include "wire/prometheus_text/scan.h"
#include "wire/utf8.h"

namespace warpsight::prometheus_text {
namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Part part = next_utf8(text);
    if (!part.valid) return false;
    text.remove_prefix(part.size);
  }
  return true;
}

template <typename Rules>
std::optional<Violation> check(std::string_view body) {
  Rules rules;
  const char* at = body.data();
  const char* const end = at + body.size();
  uint64_t number = 0;
  while (at < end) {
    ++number;
    const char* stop = find_newline(at, end);
    const std::string_view line(at, static_cast<size_t>(stop - at));
    if (!is_utf8(line)) return Violation{number, "not UTF-8"};
    if (auto violation = rules.line(line, number)) return violation;
    if (stop == end) return rules.finish(number, false);
    at = stop + 1;
  }
  return rules.finish(number, true);
}

}  // namespace

std::optional<Violation> find_violation(std::string_view body, TextFormat format) {
  return format == TextFormat::classic ? check<ClassicRules>(body) : check<OpenMetricsRules>(body);
}

}  // namespace warpsight::prometheus_text

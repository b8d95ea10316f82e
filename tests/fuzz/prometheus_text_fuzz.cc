// Whatever an exporter sends, the fast reader says what the obvious one says: the same samples, the
// same bad lines, once more through an index of series. What the strict reader lets pass has no bad
// line.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/prometheus_text/comparison_for_test.h"
#include "wire/prometheus_text/strict.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight::prometheus_text;
  if (size == 0) return 0;
  const TextFormat format = data[0] % 2 == 0 ? TextFormat::classic : TextFormat::open_metrics;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string difference = reference::difference(body, format);
  if (!difference.empty()) {
    std::fprintf(stderr, "%s\n", difference.c_str());
    std::abort();
  }
  reference::Collector collector;
  const bool conforms = !find_violation(body, format).has_value();
  if (conforms && read_page(body, format, collector).bad_lines > 0) std::abort();
  return 0;
}

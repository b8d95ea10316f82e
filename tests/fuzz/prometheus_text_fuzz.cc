// Whatever an exporter sends, the fast reader says what the obvious one says: the same samples, the
// same bad lines, once more through an index of series, and once more behind lines that begin
// alike. All scans of labels that this machine has agree. What the strict reader lets pass has no
// bad line.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/prometheus_text/comparison_for_test.h"
#include "wire/prometheus_text/plain_labels.h"
#include "wire/prometheus_text/strict.h"

namespace warpsight::prometheus_text {
namespace {

void demand(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void compare_scans(std::string_view body) {
  const std::string text = std::string(body) + '\n' + std::string(64, 'x');
  const char* const end = text.data() + text.size();
  const char* const expected = label_scans().front().labels_end(text.data(), end);
  for (const LabelScan& scan : label_scans()) {
    demand(scan.labels_end(text.data(), end) == expected, scan.name);
  }
}

void compare_readers(std::string_view body, TextFormat format) {
  std::string difference = reference::difference(body, format);
  demand(difference.empty(), difference.c_str());
  std::string alike = "a{x=\"1\",le=\"1\"} 1\na{x=\"1\",le=\"2\"} 2\na{x=\"1\",le=\"";
  alike += body;
  difference = reference::difference(alike, format);
  demand(difference.empty(), difference.c_str());
}

}  // namespace
}  // namespace warpsight::prometheus_text

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight::prometheus_text;
  if (size == 0) return 0;
  const TextFormat format = data[0] % 2 == 0 ? TextFormat::classic : TextFormat::open_metrics;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  compare_scans(body);
  compare_readers(body, format);
  reference::Collector collector;
  const bool conforms = !find_violation(body, format).has_value();
  demand(!conforms || read_page(body, format, collector).bad_lines == 0, "strict takes a bad line");
  return 0;
}

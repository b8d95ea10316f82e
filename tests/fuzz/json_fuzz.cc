// Device names, labels and kernel messages are foreign bytes: whatever they are, what we write of
// them is one valid line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sinks/prometheus/page_format.h"
#include "wire/json.h"
#include "wire/prometheus_name.h"
#include "wire/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string out;
  append_json_string(out, text);
  append_label(out, prometheus_label(text), text);
  for (const MetricKind kind : {MetricKind::gauge, MetricKind::counter, MetricKind::info}) {
    out += prometheus_name(text, text, kind).sample;
  }
  std::string escaped;
  append_json_string(escaped, text);
  if (escaped.find('\n') != std::string::npos) std::abort();
  for (size_t at = 0; at < escaped.size();) {
    const Utf8Part part = next_utf8(std::string_view(escaped).substr(at));
    if (!part.valid) std::abort();
    at += part.size;
  }
  return 0;
}

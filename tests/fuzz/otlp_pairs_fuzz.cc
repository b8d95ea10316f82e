// Lists of pairs from the environment: whatever the text, keys are there once and are not empty,
// nothing grows, and what became a header cannot end its line.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_header.h"
#include "sinks/otlp/encoded_pairs.h"
#include "sinks/otlp/environment.h"
#include "sinks/otlp/otlp_sink.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto pairs = otlp::parse_encoded_pairs(text)) {
    size_t total = 0;
    for (const auto& [key, value] : *pairs) {
      const auto same = std::ranges::count(*pairs, key, &otlp::Pairs::value_type::first);
      if (key.empty() || same != 1) std::abort();
      total += key.size() + value.size();
    }
    if (total > size) std::abort();
  }
  Options options = Options::defaults(otlp_sink_options());
  const auto lookup = [&](std::string_view name) {
    return name.ends_with("_HEADERS") ? std::optional(text) : std::nullopt;
  };
  if (apply_otel_environment(options, lookup)) {
    for (const auto& [name, value] : options.secret_map("headers")) {
      if (!is_header_name(name) || !is_header_value(value)) std::abort();
    }
  }
  return 0;
}

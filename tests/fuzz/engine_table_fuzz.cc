// Any text: the loader answers with a table that can be used, or with an error that names the file.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sources/engines/tables/table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpsight;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = engines::parse_table(text, "fuzz");
  if (!table) {
    if (!table.error().message.starts_with("fuzz:") || table.error().hint.empty()) __builtin_trap();
    return 0;
  }
  if (table->name.empty()) __builtin_trap();
  for (const auto& rule : table->metrics) {
    if (rule.from.empty() || (!rule.own && !rule.common)) __builtin_trap();
    for (const auto& metric : {rule.own, rule.common}) {
      if (metric && row(*metric).kind != rule.kind) __builtin_trap();
    }
  }
  for (const auto& label : table->labels) {
    if (table->label(label.from) == nullptr) __builtin_trap();
  }
  std::vector<std::string_view> names;
  for (const auto& span : table->versions) names.push_back(span.name);
  engines::betrayed_version(*table, names);
  return 0;
}

// Queries of whoever reaches the port: what is taken is text, within the bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ui/query_parameters.h"
#include "wire/utf8.h"

namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto part = warpsight::next_utf8(text);
    if (!part.valid) return false;
    text.remove_prefix(part.size);
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  const auto parsed = parse_query({reinterpret_cast<const char*>(data), size});
  if (!parsed) return 0;
  if (parsed->size() > kMaxParameters) std::abort();
  size_t bytes = 0;
  for (const auto& [name, value] : *parsed) {
    if (!is_utf8(name) || !is_utf8(value) || name.find('\0') != std::string::npos) std::abort();
    bytes += name.size() + value.size();
  }
  if (bytes > size) std::abort();
  return 0;
}

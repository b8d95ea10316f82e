#include "sources/nvml/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include "sources/sysfs/text.h"
#include "wire/utf8.h"

namespace warpsight::nvml {
namespace {

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 2 && first == 0xc2)
    return static_cast<unsigned char>(character[1]) < 0xa0;
  return first < 0x20 || first == 0x7f;
}

}  // namespace

std::string_view clean_text(std::span<char> buffer) {
  const auto length = static_cast<size_t>(std::ranges::find(buffer, '\0') - buffer.begin());
  const std::string_view text(buffer.data(), length);
  for (size_t at = 0; at < length;) {
    const Utf8Part part = next_utf8(text.substr(at));
    if (!part.valid || is_control(text.substr(at, part.size))) {
      std::ranges::fill(buffer.subspan(at, part.size), '?');
    }
    at += part.size;
  }
  return trim(text);
}

std::string normal_pci_address(std::string_view text) {
  uint32_t parts[4] = {};  // domain, bus, device, function
  constexpr char kSeparators[] = {':', ':', '.', '\0'};
  for (size_t i = 0; i < 4; ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts[i], 16);
    if (error != std::errc{}) return {};
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const bool last = i == 3;
    if (last ? !text.empty() : (text.empty() || text.front() != kSeparators[i])) return {};
    if (!last) text.remove_prefix(1);
  }
  if (parts[1] > 0xff || parts[2] > 0x1f || parts[3] > 7) return {};
  char address[32];
  const int length = std::snprintf(address, sizeof address, "%04x:%02x:%02x.%x", parts[0], parts[1],
                                   parts[2], parts[3]);
  return {address, static_cast<size_t>(length)};
}

}  // namespace warpsight::nvml

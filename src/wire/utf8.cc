#include "wire/utf8.h"

#include <cstdint>

namespace warpsight {
namespace {

struct Lead {
  size_t size;        // of the whole character; 0: no character begins with this byte
  uint8_t low, high;  // bounds of the second byte
};

// Table 3-7 of the Unicode standard.
Lead lead_of(uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xc2) return {0, 0, 0};
  if (byte < 0xe0) return {2, 0x80, 0xbf};
  if (byte == 0xe0) return {3, 0xa0, 0xbf};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3, 0x80, 0xbf};
  if (byte == 0xf0) return {4, 0x90, 0xbf};
  if (byte < 0xf4) return {4, 0x80, 0xbf};
  if (byte == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

}  // namespace

Utf8Part next_utf8(std::string_view text) {
  const Lead lead = lead_of(static_cast<uint8_t>(text[0]));
  if (lead.size == 0) return {1, false};
  for (size_t i = 1; i < lead.size; ++i) {
    const uint8_t low = i == 1 ? lead.low : 0x80;
    const uint8_t high = i == 1 ? lead.high : 0xbf;
    if (i >= text.size()) return {i, false};
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte < low || byte > high) return {i, false};
  }
  return {lead.size, true};
}

}  // namespace warpsight

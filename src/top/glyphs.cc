#include "top/glyphs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "top/canvas.h"
#include "wire/utf8.h"

namespace warpsight::top {
namespace {

struct Range {
  char32_t first, last;
};

// Marks that join, and formats that have no width or change the direction.
constexpr std::array kJoining = {
    Range{0x0300, 0x036f}, Range{0x0483, 0x0489}, Range{0x0591, 0x05bd},  Range{0x061c, 0x061c},
    Range{0x064b, 0x065f}, Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff},  Range{0x200b, 0x200f},
    Range{0x2028, 0x202e}, Range{0x2060, 0x206f}, Range{0x20d0, 0x20ff},  Range{0xfe00, 0xfe0f},
    Range{0xfe20, 0xfe2f}, Range{0xfeff, 0xfeff}, Range{0xe0000, 0xe0fff}};

constexpr std::array kWide = {
    Range{0x1100, 0x115f},   Range{0x231a, 0x231b},   Range{0x23e9, 0x23ec},
    Range{0x2e80, 0x303e},   Range{0x3041, 0x33ff},   Range{0x3400, 0x4dbf},
    Range{0x4e00, 0x9fff},   Range{0xa000, 0xa4cf},   Range{0xac00, 0xd7a3},
    Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},
    Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f}, Range{0x1f680, 0x1f6ff},
    Range{0x1f900, 0x1faff}, Range{0x20000, 0x3fffd}};

constexpr std::array<std::pair<char32_t, char32_t>, 25> kLookalikes = {
    {{U'–', U'-'}, {U'…', U'~'}, {U'°', U' '}, {U'·', U'.'}, {U'×', U'x'},
     {U'▲', U'^'}, {U'▼', U'v'}, {U'›', U'>'}, {U'│', U'|'}, {U'─', U'-'},
     {U'┌', U'+'}, {U'┐', U'+'}, {U'└', U'+'}, {U'┘', U'+'}, {U'█', U'#'},
     {U'▉', U'#'}, {U'▊', U'#'}, {U'▋', U'#'}, {U'▌', U'#'}, {U'▍', U'.'},
     {U'▎', U'.'}, {U'▏', U'.'}, {U'░', U'.'}, {U'↑', U'^'}, {U'↓', U'v'}}};

bool in(const auto& ranges, char32_t glyph) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return glyph >= range.first && glyph <= range.last; });
}

char32_t decode_one(std::string_view bytes) {
  constexpr std::array<unsigned, 5> kLeadMask = {0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t glyph = static_cast<unsigned char>(bytes[0]) & kLeadMask[bytes.size()];
  for (const char byte : bytes.substr(1)) {
    glyph = (glyph << 6) | (static_cast<unsigned char>(byte) & 0x3f);
  }
  return glyph;
}

}  // namespace

std::u32string decode(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const Utf8Part part = next_utf8(text);
    out += part.valid ? decode_one(text.substr(0, part.size)) : U'\xfffd';
    text.remove_prefix(part.size);
  }
  return out;
}

void append_utf8(std::string& out, char32_t glyph) {
  const auto trail = [&](int shift) { out += static_cast<char>(0x80 | ((glyph >> shift) & 0x3f)); };
  if (glyph < 0x80) {
    out += static_cast<char>(glyph);
  } else if (glyph < 0x800) {
    out += static_cast<char>(0xc0 | (glyph >> 6));
    trail(0);
  } else if (glyph < 0x10000) {
    out += static_cast<char>(0xe0 | (glyph >> 12));
    trail(6);
    trail(0);
  } else {
    out += static_cast<char>(0xf0 | (glyph >> 18));
    trail(12);
    trail(6);
    trail(0);
  }
}

char32_t ascii_for(char32_t glyph) {
  if (glyph < 0x80) return glyph;
  const auto* const found =
      std::ranges::find(kLookalikes, glyph, &std::pair<char32_t, char32_t>::first);
  return found == kLookalikes.end() ? U'?' : found->second;
}

int glyph_columns(char32_t glyph) {
  if (glyph < 0x300) return 1;
  if (in(kJoining, glyph)) return 0;
  return in(kWide, glyph) ? 2 : 1;
}

int text_columns(std::string_view text) {
  int columns = 0;
  for (const char32_t glyph : decode(text)) columns += glyph_columns(glyph);
  return columns;
}

}  // namespace warpsight::top

#include "top/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpsight::top {
namespace {

constexpr int kDots = 4;  // a cell is so many dots high

// Dots from the bottom of the whole chart; 0 where there is no value.
int dots_of(float value, double top, int height) {
  if (!std::isfinite(value)) return 0;
  const double share = top > 0 ? std::clamp(static_cast<double>(value) / top, 0.0, 1.0) : 0;
  return std::max(1, static_cast<int>(std::lround(share * height * kDots)));
}

char32_t glyph_of(int left, int right, Charset charset) {
  if (charset == Charset::ascii) {
    constexpr std::array<char32_t, kDots + 1> kGlyphs = {U' ', U'.', U'-', U'=', U'#'};
    return kGlyphs[static_cast<size_t>(std::max(left, right))];
  }
  constexpr std::array<char32_t, kDots + 1> kLeft = {0, 0x40, 0x44, 0x46, 0x47};
  constexpr std::array<char32_t, kDots + 1> kRight = {0, 0x80, 0xa0, 0xb0, 0xb8};
  if (left == 0 && right == 0) return U' ';
  return 0x2800 + kLeft[static_cast<size_t>(left)] + kRight[static_cast<size_t>(right)];
}

}  // namespace

void draw_chart(Canvas& canvas, const Area& area, std::span<const float> values, double top,
                Style style) {
  const auto value_dots = [&](size_t at) {
    return at < values.size() ? dots_of(values[at], top, area.height) : 0;
  };
  for (int column = 0; column < area.width; ++column) {
    const auto at = static_cast<size_t>(column) * 2;
    const int left = value_dots(at);
    const int right = value_dots(at + 1);
    for (int row = 0; row < area.height; ++row) {
      const int below = (area.height - 1 - row) * kDots;
      canvas.set(area.x + column, area.y + row,
                 glyph_of(std::clamp(left - below, 0, kDots), std::clamp(right - below, 0, kDots),
                          canvas.charset()),
                 style);
    }
  }
}

}  // namespace warpsight::top

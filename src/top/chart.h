// Time charts made of characters: braille dots, or plain ones in ASCII.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "top/canvas.h"

namespace warpsight::top {

// Values that a chart of so many columns takes: two a column.
inline size_t chart_values(int columns) {
  return static_cast<size_t>(columns > 0 ? columns : 0) * 2;
}

// The area below the line of `values` (oldest first, NaN: a gap), `top` at its upper edge. Zero is
// a dot at the bottom, so that it differs from a gap.
void draw_chart(Canvas& canvas, const Area& area, std::span<const float> values, double top,
                Style style);

}  // namespace warpsight::top

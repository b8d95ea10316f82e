// Draws the model. Knows no terminal: tests read the canvas as text.
#pragma once

#include "top/canvas.h"
#include "top/model.h"

namespace warpsight::top {

inline constexpr int kLeastWidth = 60;
inline constexpr int kLeastHeight = 12;

void render(const Model& model, Canvas& canvas);

}  // namespace warpsight::top

// What is known of one GPU beside its charts, as lines that are scrolled.
#pragma once

#include "top/canvas.h"
#include "top/node.h"

namespace warpsight::top {

// Lines that draw_details() fills.
int details_height(const Node& node, const Gpu& gpu);
// Lines that a screen of `height` has for them.
int details_room(int height);
// Lines that each of the charts above them has, without its title.
int details_chart_height(int height);

// On a canvas of details_height() lines.
void draw_details(Canvas& canvas, const Node& node, const Gpu& gpu);

}  // namespace warpsight::top

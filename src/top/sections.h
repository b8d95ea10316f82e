// Pieces that views are made of.
#pragma once

#include <string>
#include <vector>

#include "top/canvas.h"
#include "top/model.h"

namespace warpsight::top {

struct Heading {
  std::string text;
  bool active = false;
};

// A rule over the first line of the area with the headings on it.
void draw_title(Canvas& canvas, const Area& area, const std::vector<Heading>& headings);

// Lines 0 and 1: which host, how old, what is wrong; loudly when nothing of it is real.
void draw_header(Canvas& canvas, const Model& model);
// The last line: keys, or the filter that is typed.
void draw_footer(Canvas& canvas, const Model& model);
void draw_help(Canvas& canvas);

// The last minutes of one measure of a GPU, with a title line that says the value now.
void draw_measure(Canvas& canvas, const Area& area, const HostState& host, const Gpu& gpu,
                  Measure measure);

}  // namespace warpsight::top

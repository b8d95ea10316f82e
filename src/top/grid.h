// A table on a canvas that fits its columns to the room there is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "top/canvas.h"

namespace warpsight::top {

struct GridCell {
  std::string text;
  Style style = {};
  std::optional<double> bar = {};  // 0 to 1, drawn before the text
  // So many values of 0 to 1, drawn as a line instead of the text.
  std::function<std::vector<float>(size_t)> line = {};
};

struct GridColumn {
  std::string title;
  int least = 1;  // columns of the screen
  int most = 1;   // for texts: never more than the longest needs
  bool right = false;
  int spare = 0;       // where there is no room, the largest is left out first; 0: never
  bool fills = false;  // takes `most` whatever the texts are
};

struct Grid {
  std::vector<GridColumn> columns;
  std::vector<std::vector<GridCell>> rows;
};

// The width of each column in `width`; 0 for those left out.
std::vector<int> fit_columns(const Grid& grid, int width);

struct GridLook {
  std::optional<size_t> selected = {};  // kept in view
  bool focused = false;                 // the selected row is shown reversed, else with a mark
};

// The titles, then as many rows as there is room for.
void draw_grid(Canvas& canvas, const Area& area, const Grid& grid, const GridLook& look = {});

}  // namespace warpsight::top

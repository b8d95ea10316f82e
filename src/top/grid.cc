#include "top/grid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "top/chart.h"

namespace warpsight::top {
namespace {

constexpr int kMark = 1;  // the column before the first
constexpr int kGap = 1;

int natural_width(const Grid& grid, size_t column) {
  const GridColumn& shape = grid.columns[column];
  if (shape.fills) return shape.most;
  int widest = text_columns(shape.title);
  for (const auto& row : grid.rows) widest = std::max(widest, text_columns(row[column].text));
  return std::clamp(widest, shape.least, std::max(shape.least, shape.most));
}

void draw_bar(Canvas& canvas, int x, int y, int width, double share, Style style) {
  constexpr std::array<char32_t, 8> kEighths = {U' ', U'▏', U'▎', U'▍', U'▌', U'▋', U'▊', U'▉'};
  const int eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width * 8));
  for (int column = 0; column < width; ++column) {
    const int here = std::clamp(eighths - column * 8, 0, 8);
    if (here == 0) {
      canvas.set(x + column, y, U'·', {.tone = Tone::dim});
    } else {
      canvas.set(x + column, y, here == 8 ? U'█' : kEighths[static_cast<size_t>(here)], style);
    }
  }
}

// Texts of changing length shall not move the end of a bar.
int bar_room(const Grid& grid, size_t column, int width) {
  int widest = 4;  // "100%"
  for (const auto& row : grid.rows) widest = std::max(widest, text_columns(row[column].text));
  return width - widest - 1;
}

void draw_cell(Canvas& canvas, int x, int y, int width, int bar, const GridCell& cell, bool right) {
  if (cell.line) {
    draw_chart(canvas, {x, y, width, 1}, cell.line(chart_values(width)), 1, cell.style);
    return;
  }
  const int text = std::min(text_columns(cell.text), width);
  constexpr int kLeastBar = 3;
  if (cell.bar && bar >= kLeastBar) draw_bar(canvas, x, y, bar, *cell.bar, cell.style);
  canvas.put(right || cell.bar ? x + width - text : x, y, cell.text, cell.style, text);
}

size_t first_row(size_t rows, size_t selected, int height) {
  const int hidden = static_cast<int>(rows) - height;
  return static_cast<size_t>(
      std::clamp(static_cast<int>(selected) - height / 2, 0, std::max(hidden, 0)));
}

}  // namespace

std::vector<int> fit_columns(const Grid& grid, int width) {
  const size_t count = grid.columns.size();
  std::vector<int> widths(count);
  int spent = kMark;
  for (size_t i = 0; i < count; ++i) {
    widths[i] = grid.columns[i].least;
    if (widths[i] > 0) spent += widths[i] + kGap;
  }
  while (spent - kGap > width) {
    size_t drop = count;
    for (size_t i = 0; i < count; ++i) {
      const bool candidate = widths[i] > 0 && grid.columns[i].spare > 0;
      if (candidate && (drop == count || grid.columns[i].spare > grid.columns[drop].spare))
        drop = i;
    }
    if (drop == count) break;
    spent -= widths[drop] + kGap;
    widths[drop] = 0;
  }
  int room = width - (spent - kGap);
  std::vector<int> wanted(count);
  for (size_t i = 0; i < count; ++i) wanted[i] = natural_width(grid, i);
  for (bool grew = true; grew && room > 0;) {
    grew = false;
    for (size_t i = 0; i < count && room > 0; ++i) {
      if (widths[i] == 0 || widths[i] >= wanted[i]) continue;
      ++widths[i];
      --room;
      grew = true;
    }
  }
  return widths;
}

void draw_grid(Canvas& canvas, const Area& area, const Grid& grid, const GridLook& look) {
  if (area.height < 1) return;
  const std::vector<int> widths = fit_columns(grid, area.width);
  const auto for_columns = [&](const auto& draw) {
    int x = area.x + kMark;
    for (size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] == 0) continue;
      draw(x, i);
      x += widths[i] + kGap;
    }
  };
  for_columns([&](int x, size_t i) {
    const GridColumn& column = grid.columns[i];
    const int text = std::min(text_columns(column.title), widths[i]);
    canvas.put(column.right ? x + widths[i] - text : x, area.y, column.title,
               {.tone = Tone::dim, .bold = true}, widths[i]);
  });

  std::vector<int> bars(widths.size());
  for (size_t i = 0; i < widths.size(); ++i) bars[i] = bar_room(grid, i, widths[i]);

  const int height = area.height - 1;
  const size_t first = first_row(grid.rows.size(), look.selected.value_or(0), height);
  for (int line = 0; line < height; ++line) {
    const auto at = first + static_cast<size_t>(line);
    if (at >= grid.rows.size()) break;
    const int y = area.y + 1 + line;
    for_columns([&](int x, size_t i) {
      draw_cell(canvas, x, y, widths[i], bars[i], grid.rows[at][i], grid.columns[i].right);
    });
    if (look.selected == at) {
      canvas.set(area.x, y, U'›', {.tone = Tone::accent, .bold = true});
      if (look.focused) canvas.reverse_row(area.x, y, area.width);
    }
  }
}

}  // namespace warpsight::top

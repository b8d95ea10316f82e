#include "top/canvas.h"

#include <algorithm>

#include "top/glyphs.h"

namespace warpsight::top {
namespace {

bool is_control(char32_t glyph) { return glyph < 0x20 || (glyph >= 0x7f && glyph < 0xa0); }

}  // namespace

Canvas::Canvas(int width, int height, Charset charset)
    : width_(std::max(width, 1)),
      height_(std::max(height, 1)),
      charset_(charset),
      cells_(static_cast<size_t>(width_) * static_cast<size_t>(height_)) {}

void Canvas::set(int x, int y, char32_t glyph, Style style) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  if (charset_ == Charset::ascii) glyph = ascii_for(glyph);
  cells_[index(x, y)] = {.glyph = glyph, .style = style};
}

int Canvas::put(int x, int y, std::string_view text, Style style, int room) {
  const int end = std::min(x + room, width_);
  const std::u32string glyphs = decode(text);
  const bool fits = x + text_columns(text) <= end;
  for (const char32_t glyph : glyphs) {
    const int columns = glyph_columns(glyph);
    if (columns == 0 || is_control(glyph)) continue;
    if (x + columns > (fits ? end : end - 1)) break;
    set(x, y, glyph, style);
    // In ASCII a wide character is a "?" and a blank, so that columns stay where they are.
    if (columns == 2) set(x + 1, y, charset_ == Charset::ascii ? U' ' : U'\0', style);
    x += columns;
  }
  if (!fits && x < end) set(x++, y, U'…', style);
  return x;
}

void Canvas::put_right(int end, int y, std::string_view text, Style style) {
  put(std::max(end - text_columns(text), 0), y, text, style);
}

void Canvas::reverse_row(int x, int y, int width) {
  if (y < 0 || y >= height_) return;
  for (int at = std::max(x, 0); at < std::min(x + width, width_); ++at) {
    cells_[index(at, y)].style.reverse = true;
  }
}

void Canvas::clear(const Area& area) {
  for (int y = area.y; y < area.y + area.height; ++y) {
    for (int x = area.x; x < area.x + area.width; ++x) set(x, y, U' ');
  }
}

void Canvas::copy_rows(const Canvas& from, int first, const Area& to) {
  for (int row = 0; row < to.height && first + row < from.height_; ++row) {
    if (to.y + row >= height_) break;
    for (int column = 0; column < std::min(to.width, from.width_); ++column) {
      if (to.x + column < width_) {
        cells_[index(to.x + column, to.y + row)] = from.at(column, first + row);
      }
    }
  }
}

std::string Canvas::text() const {
  std::string out;
  for (int y = 0; y < height_; ++y) {
    std::string line;
    for (int x = 0; x < width_; ++x) {
      if (at(x, y).glyph != 0) append_utf8(line, at(x, y).glyph);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace warpsight::top

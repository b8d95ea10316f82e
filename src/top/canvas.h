// A screen in memory: cells with a glyph and a style. What draws knows no terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight::top {

// With ascii every glyph beyond is replaced by one that looks like it, or "?".
enum class Charset : uint8_t { utf8, ascii };

enum class Tone : uint8_t { plain, dim, title, good, warn, bad, accent };
inline constexpr size_t kTones = 7;

struct Style {
  Tone tone = Tone::plain;
  bool bold = false;
  bool reverse = false;

  bool operator==(const Style&) const = default;
};

struct Cell {
  char32_t glyph = U' ';  // 0: the right half of a wide one
  Style style = {};

  bool operator==(const Cell&) const = default;
};

// Of a terminal: 0 for marks that join the character before, 2 for wide ones.
int glyph_columns(char32_t glyph);
int text_columns(std::string_view text);

// How much is shown for "not known".
inline constexpr std::string_view kAbsentText = "–";

struct Area {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

class Canvas {
 public:
  // Sizes below 1 are taken as 1.
  Canvas(int width, int height, Charset charset);

  int width() const { return width_; }
  int height() const { return height_; }
  Charset charset() const { return charset_; }
  Area area() const { return {0, 0, width_, height_}; }
  const Cell& at(int x, int y) const { return cells_[index(x, y)]; }

  // Outside the canvas nothing happens.
  void set(int x, int y, char32_t glyph, Style style = {});
  // In at most `room` columns; "…" ends what does not fit. Marks that join and control characters
  // are left out. Returns the column after the text.
  int put(int x, int y, std::string_view text, Style style, int room);
  int put(int x, int y, std::string_view text, Style style = {}) {
    return put(x, y, text, style, width_ - x);
  }
  // So that the text ends before column `end`.
  void put_right(int end, int y, std::string_view text, Style style = {});
  void reverse_row(int x, int y, int width);
  void clear(const Area& area);
  // Rows of `from`, beginning with its row `first`.
  void copy_rows(const Canvas& from, int first, const Area& to);

  // One line a row, without blanks at the end.
  std::string text() const;

 private:
  size_t index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  }

  int width_;
  int height_;
  Charset charset_;
  std::vector<Cell> cells_;
};

}  // namespace warpsight::top

// The terminal, by ncurses: shows canvases and tells keys.
#pragma once

#include <memory>
#include <optional>

#include "core/result.h"
#include "top/canvas.h"
#include "top/key.h"

namespace warpsight::top {

// One at a time, on one thread. Its end gives the terminal back as it was.
class Terminal {
 public:
  // Fails when standard input or output is no terminal, or one that cannot be drawn on.
  static Result<std::unique_ptr<Terminal>> open();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int width() const;
  int height() const;
  bool has_colour() const { return has_colour_; }

  // Asks the terminal for its size anew.
  void resize();
  void show(const Canvas& canvas, bool colour);
  // The next key that was pressed; nullopt when none waits. Unknown ones are left out.
  std::optional<Key> key();

 private:
  struct State;
  explicit Terminal(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
  bool has_colour_ = false;
};

// What the locale of the environment can show. To be called before threads are begun: it sets the
// locale of the process.
Charset charset_of_locale();

}  // namespace warpsight::top

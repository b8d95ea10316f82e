#include "top/terminal.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

// Functions, not macros of the same names.
#define NCURSES_NOMACROS
#include <curses.h>

namespace warpsight::top {
namespace {

constexpr int kEscapeDelay = 50;  // milliseconds until a lone Esc is believed

short pair_of(Tone tone) { return static_cast<short>(static_cast<short>(tone) + 1); }

void define_colours() {
  constexpr std::array<short, kTones> kColours = {-1,           -1,        COLOR_CYAN, COLOR_GREEN,
                                                  COLOR_YELLOW, COLOR_RED, COLOR_BLUE};
  for (size_t tone = 0; tone < kTones; ++tone) {
    init_pair(pair_of(static_cast<Tone>(tone)), kColours[tone], -1);
  }
}

attr_t attributes_of(Style style, bool colour) {
  attr_t attributes = A_NORMAL;
  if (style.bold) attributes |= A_BOLD;
  if (style.reverse) attributes |= A_REVERSE;
  if (style.tone == Tone::dim && !style.reverse) attributes |= A_DIM;
  // Without colour what is bad is still to be seen.
  if (!colour && style.tone == Tone::bad) attributes |= A_BOLD;
  return attributes;
}

std::optional<Key> special_key(wint_t code) {
  switch (code) {
    case KEY_UP: return Key{Key::Kind::up};
    case KEY_DOWN: return Key{Key::Kind::down};
    case KEY_PPAGE: return Key{Key::Kind::page_up};
    case KEY_NPAGE: return Key{Key::Kind::page_down};
    case KEY_HOME: return Key{Key::Kind::home};
    case KEY_END: return Key{Key::Kind::end};
    case KEY_ENTER: return Key{Key::Kind::enter};
    case KEY_BTAB: return Key{Key::Kind::back_tab};
    case KEY_BACKSPACE: return Key{Key::Kind::backspace};
    default: return std::nullopt;
  }
}

std::optional<Key> plain_key(wint_t code) {
  constexpr wint_t kEscape = 0x1b;
  constexpr wint_t kDelete = 0x7f;
  switch (code) {
    case '\t': return Key{Key::Kind::tab};
    case '\r':
    case '\n': return Key{Key::Kind::enter};
    case '\b':
    case kDelete: return Key{Key::Kind::backspace};
    case kEscape: return Key{Key::Kind::escape};
    default:
      if (code < ' ') return std::nullopt;
      return Key{Key::Kind::character, static_cast<char32_t>(code)};
  }
}

tl::unexpected<Error> no_terminal(const std::string& why) {
  return fail(why, "use --once for a plain table, or --json");
}

}  // namespace

struct Terminal::State {
  SCREEN* screen = nullptr;
};

Result<std::unique_ptr<Terminal>> Terminal::open() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    return no_terminal("the screen needs a terminal for input and output");
  }
  const char* const type = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  const std::string name = type == nullptr ? "" : type;
  auto state = std::make_unique<State>();
  state->screen = newterm(nullptr, stdout, stdin);
  if (state->screen == nullptr) {
    return no_terminal("no description of the terminal TERM='" + name + "' was found");
  }
  set_term(state->screen);
  if (tigetstr("cup") == nullptr || tigetstr("clear") == nullptr) {
    endwin();
    delscreen(state->screen);
    return no_terminal("the terminal TERM='" + name + "' cannot be drawn on");
  }
  return std::unique_ptr<Terminal>(new Terminal(std::move(state)));
}

Terminal::Terminal(std::unique_ptr<State> state) : state_(std::move(state)) {
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(kEscapeDelay);
  curs_set(0);
  has_colour_ = has_colors() && start_color() == OK && use_default_colors() == OK;
  if (has_colour_) define_colours();
}

Terminal::~Terminal() {
  endwin();
  delscreen(state_->screen);
}

int Terminal::width() const { return getmaxx(stdscr); }
int Terminal::height() const { return getmaxy(stdscr); }

void Terminal::resize() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return;
  resizeterm(size.ws_row, size.ws_col);
  clearok(curscr, TRUE);
}

void Terminal::show(const Canvas& canvas, bool colour) {
  colour = colour && has_colour_;
  for (int y = 0; y < canvas.height(); ++y) {
    for (int x = 0; x < canvas.width(); ++x) {
      const Cell& cell = canvas.at(x, y);
      if (cell.glyph == 0) continue;
      const std::array<wchar_t, 2> text = {static_cast<wchar_t>(cell.glyph), L'\0'};
      cchar_t shown{};
      setcchar(&shown, text.data(), attributes_of(cell.style, colour),
               colour ? pair_of(cell.style.tone) : static_cast<short>(0), nullptr);
      mvadd_wch(y, x, &shown);
    }
  }
  refresh();
}

std::optional<Key> Terminal::key() {
  wint_t code = 0;
  for (;;) {
    const int kind = get_wch(&code);
    if (kind == ERR) return std::nullopt;
    if (const auto key = kind == KEY_CODE_YES ? special_key(code) : plain_key(code)) return key;
  }
}

Charset charset_of_locale() {
  // NOLINTBEGIN(concurrency-mt-unsafe): no thread has begun yet
  std::setlocale(LC_CTYPE, "");
  const std::string_view codeset = nl_langinfo(CODESET);
  // NOLINTEND(concurrency-mt-unsafe)
  return codeset == "UTF-8" ? Charset::utf8 : Charset::ascii;
}

}  // namespace warpsight::top

#include "top/screen.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <string>

#include "top/interrupts.h"
#include "top/model.h"
#include "top/render.h"
#include "top/terminal.h"

namespace warpsight::top {
namespace {

constexpr int kOftenEnoughMs = 1000;  // ages are told in seconds

// False: the terminal has gone away.
bool wait(const Interrupts& interrupts) {
  std::array<pollfd, 2> waited = {pollfd{STDIN_FILENO, POLLIN, 0},
                                  pollfd{interrupts.fd(), POLLIN, 0}};
  if (poll(waited.data(), waited.size(), kOftenEnoughMs) < 0) return true;
  return (waited[0].revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
}

bool press_all(Terminal& terminal, Model& model) {
  while (const auto key = terminal.key()) {
    if (!model.press(*key)) return false;
  }
  return true;
}

}  // namespace

Result<> run_screen(const ScreenSettings& settings, std::vector<std::unique_ptr<Feed>> feeds,
                    const Clock& clock) {
  auto interrupts = Interrupts::make();
  if (!interrupts) return tl::unexpected(interrupts.error());
  std::vector<std::string> names;
  names.reserve(feeds.size());
  for (const auto& feed : feeds) names.push_back(feed->name());
  Model model(std::move(names), clock.steady());
  model.set_colour(settings.colour);
  // Their threads wake the interrupts, so they end before those do; but first the terminal is given
  // back, as one of them may take its time.
  const std::vector<std::unique_ptr<Feed>> running = std::move(feeds);
  auto terminal = Terminal::open();
  if (!terminal) return tl::unexpected(terminal.error());
  for (const auto& feed : running) feed->start([&interrupts] { interrupts->wake(); });

  for (bool going = true; going;) {
    for (size_t i = 0; i < running.size(); ++i) {
      if (auto update = running[i]->take()) model.take(i, std::move(*update), clock.steady());
    }
    model.tick(clock.steady());
    model.resize((*terminal)->width(), (*terminal)->height());
    Canvas canvas((*terminal)->width(), (*terminal)->height(), settings.charset);
    render(model, canvas);
    (*terminal)->show(canvas, model.colour());

    going = wait(*interrupts);
    const Interrupts::News news = interrupts->take();
    if (news.resize) (*terminal)->resize();
    going = going && !news.end && press_all(**terminal, model);
  }
  return {};
}

}  // namespace warpsight::top

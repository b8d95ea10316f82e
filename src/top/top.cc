#include "top/top.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <utility>

#include "top/feed.h"
#include "top/once.h"
#include "top/screen.h"
#include "top/terminal.h"

namespace warpsight::top {
namespace {

constexpr int kPipeWidth = 160;  // columns where there is no terminal
constexpr int kLeastTable = 80;

int output_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kPipeWidth;
  return std::max<int>(size.ws_col, kLeastTable);
}

// https://no-color.org: present and not empty.
bool colour_unwanted() {
  const char* const value =
      std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value != nullptr && !std::string_view(value).empty();
}

int print(const Told& told) {
  fmt::print("{}", told.out);
  fmt::print(stderr, "{}", told.errors);
  return told.errors.empty() ? 0 : 1;
}

Result<int> show(const TopSettings& settings, Charset charset, std::vector<NamedSource> sources,
                 const Clock& clock) {
  std::vector<std::unique_ptr<Feed>> feeds;
  feeds.reserve(sources.size());
  for (NamedSource& source : sources) {
    feeds.push_back(std::make_unique<Feed>(std::move(source.name), std::move(source.source),
                                           settings.interval));
  }
  const ScreenSettings screen{.charset = charset, .colour = settings.colour && !colour_unwanted()};
  return run_screen(screen, std::move(feeds), clock).map([] { return 0; });
}

Result<int> run(const TopSettings& settings, std::vector<NamedSource> sources, const Clock& clock) {
  const Charset locale = charset_of_locale();
  const Charset charset = settings.ascii ? Charset::ascii : locale;
  switch (settings.output) {
    case TopSettings::Output::json: return print(tell_json(read_once(std::move(sources))));
    case TopSettings::Output::once:
      return print(tell_table(read_once(std::move(sources)), output_width(), charset));
    case TopSettings::Output::screen: break;
  }
  return show(settings, charset, std::move(sources), clock);
}

}  // namespace

int run_top(const TopSettings& settings, std::vector<NamedSource> sources, const Clock& clock) {
  try {
    const auto status = run(settings, std::move(sources), clock);
    if (status) return *status;
    fmt::print(stderr, "error: {}\n", describe(status.error()));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  }
  return 1;
}

}  // namespace warpsight::top

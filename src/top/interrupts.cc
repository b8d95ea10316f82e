#include "top/interrupts.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

namespace warpsight::top {
namespace {

std::atomic<int> pipe_end = -1;

void tell(char byte) {
  const int fd = pipe_end.load();
  // A full pipe is readable already.
  if (fd >= 0 && write(fd, &byte, 1) < 0) return;
}

void on_signal(int signal) {
  const int saved = errno;
  tell(static_cast<char>(signal));
  errno = saved;
}

}  // namespace

Result<Interrupts> Interrupts::make() {
  auto pipe = make_pipe();
  if (!pipe) return tl::unexpected(pipe.error());
  for (const int fd : {pipe->first.get(), pipe->second.get()}) {
    if (const auto set = set_nonblocking(fd, true); !set) return tl::unexpected(set.error());
  }
  Interrupts made(std::move(*pipe));
  pipe_end = made.pipe_.second.get();
  struct sigaction action{};
  action.sa_handler = on_signal;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) {
    sigaction(signal, &action, &made.before_[signal]);
  }
  return made;
}

Interrupts::~Interrupts() {
  if (!pipe_.second) return;
  for (const auto& [signal, action] : before_) sigaction(signal, &action, nullptr);
  pipe_end = -1;
}

void Interrupts::wake() const {
  const char byte = 0;
  if (write(pipe_.second.get(), &byte, 1) < 0) return;
}

Interrupts::News Interrupts::take() {
  News news;
  std::array<char, 64> bytes{};
  for (ssize_t got = 0; (got = read(fd(), bytes.data(), bytes.size())) > 0;) {
    for (ssize_t i = 0; i < got; ++i) {
      const int signal = static_cast<unsigned char>(bytes[static_cast<size_t>(i)]);
      news.resize = news.resize || signal == SIGWINCH;
      news.end = news.end || (signal != SIGWINCH && signal != 0);
    }
  }
  return news;
}

}  // namespace warpsight::top

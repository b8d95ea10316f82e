#include "platform/fd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>

namespace warpsight {
namespace {

using Steady = std::chrono::steady_clock;

// poll()'s milliseconds until `deadline`, rounded up so that it does not spin at the end.
int remaining_ms(SteadyTime deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Steady::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

bool wait_until(int fd, short events, SteadyTime deadline) {
  for (;;) {
    pollfd entry{fd, events, 0};
    const int ready = ::poll(&entry, 1, remaining_ms(deadline));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (Steady::now() >= deadline) return false;
  }
}

SteadyTime deadline_after(Duration timeout) {
  return Steady::now() + std::min<Duration>(timeout, std::chrono::years{1});
}

mode_t kind_of(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 ? info.st_mode & S_IFMT : 0;
}

// Writes what can be written without blocking beyond a moment, whether or not `fd` is blocking.
ssize_t write_some(int fd, mode_t kind, std::string_view bytes) {
  if (kind == S_IFSOCK) return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (kind == S_IFREG) return ::write(fd, bytes.data(), bytes.size());
  // A pipe or terminal that polls writable takes PIPE_BUF bytes at once and promises no more.
  pollfd entry{fd, POLLOUT, 0};
  if (::poll(&entry, 1, 0) == 0) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
}

// Appends until the end of the stream; `wait` blocks until there may be more, or says no.
template <typename Wait>
Result<std::string> read_until_end(int fd, std::size_t limit, Wait wait) {
  std::string out;
  std::array<char, 16384> chunk{};
  for (;;) {
    if (!wait()) return fail("timed out while reading");
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n == 0) return out;
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return fail_errno("cannot read", errno);
    }
    if (out.size() + static_cast<std::size_t>(n) > limit) {
      return fail(fmt::format("more than the limit of {} bytes", limit));
    }
    out.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

std::string_view hint_for(int error) {
  switch (error) {
    case EACCES:
    case EPERM: return "check that the agent's user may do this";
    case EMFILE:
    case ENFILE: return "raise the limit of open files (LimitNOFILE=)";
    case ENOSPC:
    case EDQUOT: return "free some disk space";
    case EROFS: return "choose a place that is writable";
    default: return {};
  }
}

}  // namespace

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

std::string errno_text(int error) {
  std::array<char, 128> buffer{};
  return strerror_r(error, buffer.data(), buffer.size());
}

tl::unexpected<Error> fail_errno(std::string_view what, int error) {
  return fail(fmt::format("{}: {}", what, errno_text(error)), std::string(hint_for(error)));
}

Result<std::string> read_all(int fd, std::size_t limit) {
  return read_until_end(fd, limit, [] { return true; });
}

Result<std::string> read_all(int fd, std::size_t limit, Duration timeout) {
  const SteadyTime deadline = deadline_after(timeout);
  return read_until_end(fd, limit, [&] { return wait_until(fd, POLLIN, deadline); });
}

Result<> write_all(int fd, std::string_view bytes, Duration timeout) {
  const SteadyTime deadline = deadline_after(timeout);
  const mode_t kind = kind_of(fd);
  while (!bytes.empty()) {
    const ssize_t n = write_some(fd, kind, bytes);
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      if (kind == S_IFREG || bytes.empty()) continue;
    } else if (errno != EINTR && errno != EAGAIN) {
      return fail_errno("cannot write", errno);
    }
    if (!wait_until(fd, POLLOUT, deadline)) return fail("timed out while writing");
  }
  return {};
}

bool wait_readable(int fd, Duration timeout) {
  return wait_until(fd, POLLIN, deadline_after(timeout));
}

Result<> set_nonblocking(int fd, bool nonblocking) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return fail_errno("cannot read descriptor flags", errno);
  const int wanted = nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (::fcntl(fd, F_SETFL, wanted) < 0) return fail_errno("cannot set descriptor flags", errno);
  return {};
}

Result<FdPair> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) return fail_errno("cannot make a pipe", errno);
  return FdPair{Fd(ends[0]), Fd(ends[1])};
}

Result<FdPair> make_socket_pair(int type) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) < 0) {
    return fail_errno("cannot make a socket pair", errno);
  }
  return FdPair{Fd(ends[0]), Fd(ends[1])};
}

}  // namespace warpsight

// Ownership of file descriptors, and whole reads and writes on them. Everything made here is
// close-on-exec.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock.h"
#include "core/result.h"

namespace warpsight {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// strerror() that threads may share.
std::string errno_text(int error);

// "cannot open /x: Permission denied", with what to do where the errno tells.
tl::unexpected<Error> fail_errno(std::string_view what, int error);

// To the end of the stream. Fails when there is more than `limit`.
Result<std::string> read_all(int fd, std::size_t limit);
// The same with an end to patience, for pipes and sockets.
Result<std::string> read_all(int fd, std::size_t limit, Duration timeout);

// All of it, waiting for room as long as `timeout` in total. A closed peer is an error, never a
// SIGPIPE on sockets; for pipes the program ignores that signal.
Result<> write_all(int fd, std::string_view bytes, Duration timeout);

// Waits until `fd` is readable (or closed by the peer). False when the time ran out.
bool wait_readable(int fd, Duration timeout);

Result<> set_nonblocking(int fd, bool nonblocking);

struct FdPair {
  Fd first;
  Fd second;
};

// first reads what second writes.
Result<FdPair> make_pipe();
// Two connected unix sockets; `type` is SOCK_STREAM or SOCK_SEQPACKET.
Result<FdPair> make_socket_pair(int type);

}  // namespace warpsight

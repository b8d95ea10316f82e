#include "platform/command.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>

#include "core/quantity.h"

namespace warpsight {
namespace {

constexpr std::size_t kErrorsKept = std::size_t{16} * 1024;
// Chunks taken before the clock and the other stream are looked at: more than a pipe holds.
constexpr int kTurns = 64;

// The reading end of what a child writes: all of it is taken, the beginning kept.
class Stream {
 public:
  explicit Stream(std::size_t limit) : limit_(limit) {}

  // The end to hand to the child.
  Result<Fd> open() {
    auto pipe = make_pipe();
    if (!pipe) return tl::unexpected(std::move(pipe.error()));
    if (auto set = set_nonblocking(pipe->first.get(), true); !set) {
      return tl::unexpected(std::move(set.error()));
    }
    fd_ = std::move(pipe->first);
    return std::move(pipe->second);
  }

  // Takes what is there; the stream is closed when it has ended.
  void drain() {
    std::array<char, 16384> chunk{};
    for (int turns = 0; fd_ && turns < kTurns; ++turns) {
      const ssize_t n = ::read(fd_.get(), chunk.data(), chunk.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return;
      if (n <= 0) return fd_.reset();
      const auto size = static_cast<std::size_t>(n);
      const std::size_t room = limit_ - kept_.size();
      overflowed_ = overflowed_ || size > room;
      kept_.append(chunk.data(), std::min(size, room));
    }
  }

  int fd() const { return fd_.get(); }
  bool overflowed() const { return overflowed_; }
  std::string& kept() { return kept_; }

 private:
  Fd fd_;
  std::size_t limit_;
  std::string kept_;
  bool overflowed_ = false;
};

}  // namespace

Result<CommandOutput> run_command(std::vector<std::string> argv, Duration timeout,
                                  std::size_t limit, std::vector<std::string> environment) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  Stream output(limit);
  Stream errors(kErrorsKept);
  auto child_output = output.open();
  if (!child_output) return tl::unexpected(std::move(child_output.error()));
  auto child_errors = errors.open();
  if (!child_errors) return tl::unexpected(std::move(child_errors.error()));
  const std::string name = argv.empty() ? "" : argv.front();
  auto child = Child::spawn({.argv = std::move(argv),
                             .fds = {{.parent = child_output->get(), .child = 1},
                                     {.parent = child_errors->get(), .child = 2}},
                             .environment = std::move(environment),
                             .inherit_environment = true});
  if (!child) return tl::unexpected(std::move(child.error()));
  child_output->reset();
  child_errors->reset();

  std::optional<ExitStatus> status;
  while (!status) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= Duration::zero())
      return fail(fmt::format("{} timed out after {}", name, format_duration(timeout)));
    // Without a descriptor that tells of the child's end (kernels before 5.3), look now and then.
    const bool silent = output.fd() < 0 && errors.fd() < 0;
    if (silent && child->exit_fd() < 0) {
      status = child->wait(left);
      continue;
    }
    std::array<pollfd, 3> waits = {{{.fd = output.fd(), .events = POLLIN, .revents = 0},
                                    {.fd = errors.fd(), .events = POLLIN, .revents = 0},
                                    {.fd = child->exit_fd(), .events = POLLIN, .revents = 0}}};
    const auto patience = std::chrono::ceil<std::chrono::milliseconds>(left);
    ::poll(waits.data(), waits.size(), static_cast<int>(std::min<int64_t>(patience.count(), 1000)));
    status = child->poll();
    output.drain();
    errors.drain();
    if (output.overflowed()) {
      return fail(fmt::format("{} writes more than {} bytes", name, limit));
    }
  }
  return CommandOutput{
      .status = *status, .output = std::move(output.kept()), .errors = std::move(errors.kept())};
}

}  // namespace warpsight

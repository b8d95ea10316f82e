#include "sinks/stdout/stdout_sink.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "platform/fd.h"
#include "sinks/json_lines.h"

namespace warpsight {
namespace {

constexpr OptionDef kOptions[] = {
    {"enabled", OptionType::boolean, "false", "Write every publish to standard output."},
    {"aliases", OptionType::boolean, "false", "Also write the alias names of the catalogue."},
};

// How long a reader that does not read may hold up the sink's thread.
constexpr std::chrono::milliseconds kPatience{2000};

class StdoutSink final : public Sink {
 public:
  StdoutSink(const SinkContext& context, int fd)
      : lines_(context.entities, context.brief_resource, context.options.flag("aliases")),
        fd_(fd) {}

  void encode(const Snapshot& snapshot, Outbox& out) override {
    Message& message = out.add();
    message.points = static_cast<uint32_t>(snapshot.samples.size());
    lines_.append(snapshot, message.bytes);
  }

  Delivery deliver(const Message& message) override {
    return Delivery::of(write_lines(message.bytes), "write");
  }

  std::string peer() const override { return "standard output"; }

 private:
  // Lines that stopped in the middle of one are ended by a newline before the next begin, so a
  // reader loses one line and no more.
  Result<> write_lines(std::string_view lines) {
    if (lines.empty()) return {};
    if (torn_) {
      if (auto ended = write("\n"); !ended) return ended;
      torn_ = false;
    }
    return write(lines);
  }

  Result<> write(std::string_view bytes) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n >= 0) {
        if (n > 0) torn_ = bytes[static_cast<size_t>(n) - 1] != '\n';
        bytes.remove_prefix(static_cast<size_t>(n));
        continue;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return fail_errno("cannot write to standard output", errno);
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd ready{fd_, POLLOUT, 0};
      if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) == 0) {
        return fail("standard output takes no more data",
                    "the program it is piped into does not read; restart that one");
      }
    }
    return {};
  }

  JsonLines lines_;
  int fd_;
  bool torn_ = false;
};

}  // namespace

std::span<const OptionDef> stdout_sink_options() { return kOptions; }

std::unique_ptr<Sink> make_line_sink(const SinkContext& context, int fd) {
  return std::make_unique<StdoutSink>(context, fd);
}

Result<std::unique_ptr<Sink>> make_stdout_sink(const SinkContext& context) {
  return make_line_sink(context, STDOUT_FILENO);
}

}  // namespace warpsight

#include "platform/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace warpsight {

Result<CommandOutput> run_command(std::vector<std::string> argv, Duration timeout,
                                  std::size_t limit) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  auto pipe = make_pipe();
  if (!pipe) return tl::unexpected(std::move(pipe.error()));
  const std::string name = argv.empty() ? "" : argv.front();
  auto child = Child::spawn({.argv = std::move(argv),
                             .fds = {{.parent = pipe->second.get(), .child = 1}},
                             .environment = {},
                             .inherit_environment = true});
  if (!child) return tl::unexpected(std::move(child.error()));
  pipe->second.reset();
  auto output = read_all(pipe->first.get(), limit, timeout);
  if (!output) return fail(fmt::format("{}: {}", name, output.error().message));
  const auto left =
      std::max<Duration>(deadline - std::chrono::steady_clock::now(), Duration::zero());
  const auto status = child->wait(left);
  if (!status) return fail(fmt::format("{} did not end in time", name));
  return CommandOutput{.status = *status, .output = std::move(*output)};
}

}  // namespace warpsight

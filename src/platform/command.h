// A command run to its end, under a deadline, its output kept.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "platform/child.h"

namespace warpsight {

struct CommandOutput {
  ExitStatus status;
  std::string output;  // standard output
};

// Fails when the command cannot be started, says more than `limit` bytes or takes longer than
// `timeout`; it is killed then, with all it started. A non-zero exit is not a failure here.
Result<CommandOutput> run_command(std::vector<std::string> argv, Duration timeout,
                                  std::size_t limit = std::size_t{1} * 1024 * 1024);

}  // namespace warpsight

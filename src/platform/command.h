// A command run to its end, without a shell, under a deadline, what it says kept.
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
  std::string errors;  // the beginning of standard error
};

// Fails when the command cannot be started, writes more than `limit` bytes or takes longer than
// `timeout`; it is killed then, with all it started. A non-zero exit is not a failure here.
// `environment` ("NAME=value") is put over the agent's own.
Result<CommandOutput> run_command(std::vector<std::string> argv, Duration timeout,
                                  std::size_t limit = std::size_t{1} * 1024 * 1024,
                                  std::vector<std::string> environment = {});

}  // namespace warpsight

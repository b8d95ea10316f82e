// Runs Slurm's own commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "platform/command.h"

namespace warpsight::slurm {

class SlurmCommand {
 public:
  // `folder` holds the commands; empty: PATH and the usual folders do. `config` is slurm.conf;
  // empty: as the commands find it.
  SlurmCommand(std::string folder, std::string config, Duration timeout);

  // The command's path; empty when it is not there.
  std::string find(std::string_view name) const;

  // argv[0] is a command's name. Fails when it is not there, or does not end well and in time.
  Result<std::string> ask(const std::vector<std::string>& argv) const;
  // The same, whatever its exit status: standard output, and standard error.
  Result<CommandOutput> run(std::vector<std::string> argv) const;

  // Why a command failed, and what to do.
  static Error explain(const std::vector<std::string>& argv, const CommandOutput& said);

 private:
  std::string folder_;
  std::string config_;
  Duration timeout_;
};

// "scontrol show job -d -o 12".
std::string shown(const std::vector<std::string>& argv);

}  // namespace warpsight::slurm

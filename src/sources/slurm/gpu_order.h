// The node's GPUs in the order in which Slurm numbers them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/ownership.h"
#include "sources/slurm/conf_file.h"
#include "sources/slurm/node_setup.h"
#include "sources/slurm/slurm_command.h"

namespace warpsight::slurm {

class GpuOrder {
 public:
  GpuOrder(std::string root, SlurmCommand command);

  // Reads the configuration. Where that leaves the order open slurmd is asked for it, once, and
  // again when the configuration changed or, now and then, when slurmd could not tell.
  void refresh(const NodeSetup& setup, SteadyTime now);

  // By Slurm's index; nullptr for one that is not known.
  const DeviceName* device(unsigned index) const;
  // Those that are known.
  std::vector<DeviceName> all() const;

  // Why GPUs, or some of them, are not known; empty when all are.
  const std::string& problem() const { return problem_; }
  const Lookup& lookup() const { return lookup_; }

 private:
  using Gpus = std::vector<GpuFiles>;

  Result<Gpus> find(const NodeSetup& setup, SteadyTime now);
  Result<Gpus> ask_slurmd(const NodeSetup& setup) const;
  void take(const Gpus& gpus);

  std::string root_;
  SlurmCommand command_;
  std::vector<std::optional<DeviceName>> devices_;
  std::string problem_;
  Lookup lookup_;
  // What slurmd said, and of which configuration.
  std::vector<ConfLine> asked_of_;
  std::optional<Result<Gpus>> slurmd_says_;
  SteadyTime ask_again_{};
};

}  // namespace warpsight::slurm

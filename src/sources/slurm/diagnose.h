// Whether this machine is a node of Slurm, and what the source `slurm` finds there.
#pragma once

#include <vector>

#include "runtime/source.h"

namespace warpsight::slurm {

// Slurm's cgroups or its daemon's file are here, or slurm.conf names this node: not on a machine
// from which jobs are merely submitted.
bool is_node(const SourceContext& context);

std::vector<Finding> diagnose(const SourceContext& context);

}  // namespace warpsight::slurm

// The source `slurm`: the jobs on this node, and the GPUs each was given.
#pragma once

#include "runtime/source.h"

namespace warpsight::slurm {

extern const SourceDef kSlurmSource;

}  // namespace warpsight::slurm

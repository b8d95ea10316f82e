// To whom the processes on GPUs belong: pods, Slurm jobs, containers, users.
#pragma once

#include "runtime/source.h"

namespace warpsight {

extern const SourceDef kProcessesSource;

}  // namespace warpsight

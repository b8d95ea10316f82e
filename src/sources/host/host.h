// The host around the GPUs: CPU, memory, pressure, disks, file systems, network, NUMA, RDMA.
#pragma once

#include "runtime/source.h"

namespace warpsight {

extern const SourceDef kHostSource;

}  // namespace warpsight

// GPU errors in the kernel log: XIDs, GPUs fallen off the bus, NVSwitch errors.
#pragma once

#include <sys/types.h>

#include "runtime/source.h"

namespace warpsight {

extern const SourceDef kKmsgSource;

// read(2), or what a test puts in its place.
using KmsgRead = ssize_t (*)(int fd, void* buffer, size_t size);

// Yields events "gpu.xid.raw" and "gpu.fallen_off_bus.raw", which the XID ledger finishes, and
// "nvswitch.sxid". Those found in the log by the first run of this boot carry history=true; what
// came while the agent was down does not.
std::unique_ptr<Source> make_kmsg_source(const SourceContext& context, KmsgRead read);

}  // namespace warpsight

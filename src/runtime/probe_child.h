// The child's side of a probe: runs one source on request, in a process that may hang or die.
#pragma once

#include <span>

#include "core/clock.h"
#include "runtime/source.h"

namespace warpsight::probe {

// Serves the agent at the other end of kSocketFd until it hangs up. Returns the exit code.
int serve(const SourceDef& source, const Clock& clock);

}  // namespace warpsight::probe

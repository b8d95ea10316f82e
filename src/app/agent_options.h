// The keys of the agent itself.
#pragma once

#include <span>

#include "runtime/options.h"

namespace warpsight {

std::span<const OptionDef> agent_options();

}  // namespace warpsight

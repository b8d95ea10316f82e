// Writes down what a real GPU does, as a scenario that the fake driver can play.
#pragma once

#include <string>

#include "runtime/source.h"

namespace warpsight::nvml {

// Reads everything every `interval` for `length`, by the wall clock, and returns the scenario's
// text (docs/scenarios.md). UUIDs, serial numbers and process names and ids do not appear in it.
Result<std::string> record(const SourceContext& context, Duration length, Duration interval);

}  // namespace warpsight::nvml

// A pipeline for a command that reads and ends.
#pragma once

#include <functional>

#include "app/pipeline.h"

namespace warpsight {

// Starts it and lets every source run twice, `gap` apart: rates and activity are differences.
// `between` is called after the first runs. Fails when it cannot start; false when a source did not
// run twice in time.
Result<bool> run_twice(Pipeline& pipeline, const Clock& clock, Duration gap,
                       const std::function<void()>& between = {});

// Ends the process with a failure when a source is stuck.
void stop_or_exit(Pipeline& pipeline);

}  // namespace warpsight

// The NVML source: everything NVIDIA's driver tells about its GPUs.
#pragma once

#include "runtime/source.h"

namespace warpsight::nvml {

// Fails when there is no driver library to load. A driver that does not answer is not a failure
// here: collect() reports it and tries again.
Result<std::unique_ptr<Source>> make(const SourceContext& context);

// What is missing for the source to work, without touching the driver.
std::vector<Finding> diagnose(const SourceContext& context);

// Whether there are NVIDIA GPUs, or a driver for them, or a simulation of both.
bool present(const SourceContext& context);

extern const SourceDef kDefinition;

}  // namespace warpsight::nvml

// NVML's functions as this library exports them; each api_*.cc defines a part.
#pragma once

#include "simulate/nvml/session.h"
#include "sources/nvml/abi.h"

namespace warpsight::nvml::abi {

using simulate::Call;
using simulate::enter;
using simulate::enter_any;
using simulate::enter_library;
using simulate::Function;
using simulate::GpuSpec;
using simulate::Reading;
using simulate::Seconds;
using simulate::SimulatedGpu;

extern "C" {
#define WARPSIGHT_NVML(result, name, parameters) result name parameters;
#include "sources/nvml/functions.def"
}

}  // namespace warpsight::nvml::abi

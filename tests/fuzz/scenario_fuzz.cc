// Any text: the loader answers with a scenario or an error, within bounds.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "simulate/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scenario = warpsight::simulate::parse_scenario(text, "fuzz");
  if (!scenario) {
    if (scenario.error().message.empty()) __builtin_trap();
    return 0;
  }
  if (scenario->gpus.size() > warpsight::simulate::kMaxGpus) __builtin_trap();
  for (const auto& gpu : scenario->gpus) {
    const double load = gpu.load.value(12.5);
    if (!(load >= -1e-9 && load <= 1 + 1e-9)) __builtin_trap();
    if (!(gpu.load.integral(1e6) >= gpu.load.integral(-1e6) - 1)) __builtin_trap();
  }
  return 0;
}

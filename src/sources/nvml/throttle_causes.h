// What holds clocks down: the bits of the driver's mask, their names and the buckets they fall in.
#pragma once

#include <array>
#include <string_view>

#include "sources/nvml/abi.h"

namespace warpsight::nvml {

struct ThrottleCause {
  unsigned long long bit;
  std::string_view name;
  bool power, thermal, software, hardware;
};

// Being idle (kGpuIdle) is no throttle. A bit that is not here is named unknown_<hex> and counts
// as hardware.
inline constexpr std::array<ThrottleCause, 8> kThrottleCauses{{
    {abi::clocks_event::kApplicationsClocks, "applications_clocks", false, false, true, false},
    {abi::clocks_event::kSwPowerCap, "sw_power_cap", true, false, true, false},
    {abi::clocks_event::kHwSlowdown, "hw_slowdown", false, false, false, true},
    {abi::clocks_event::kSyncBoost, "sync_boost", false, false, true, false},
    {abi::clocks_event::kSwThermal, "sw_thermal", false, true, true, false},
    {abi::clocks_event::kHwThermal, "hw_thermal", false, true, false, true},
    {abi::clocks_event::kHwPowerBrake, "hw_power_brake", true, false, false, true},
    {abi::clocks_event::kDisplayClocks, "display_clocks", false, false, true, false},
}};

// A counter of the time a cause held the clocks down: a field value where the driver has it, else
// a policy of the older violation counters.
struct ThrottleCounter {
  std::string_view cause;
  unsigned field;
  int policy;  // of abi::PerfPolicy; kNoPolicy: none
};
inline constexpr int kNoPolicy = -1;

inline constexpr std::array<ThrottleCounter, 10> kThrottleCounters{{
    {"sw_power_cap", abi::field::kClocksEventSwPowerCap, static_cast<int>(abi::PerfPolicy::power)},
    {"sync_boost", abi::field::kClocksEventSyncBoost,
     static_cast<int>(abi::PerfPolicy::sync_boost)},
    {"sw_thermal", abi::field::kClocksEventSwThermal, kNoPolicy},
    {"hw_thermal", abi::field::kClocksEventHwThermal, static_cast<int>(abi::PerfPolicy::thermal)},
    {"hw_power_brake", abi::field::kClocksEventHwPowerBrake, kNoPolicy},
    {"board_limit", abi::field::kPerfPolicyBoardLimit,
     static_cast<int>(abi::PerfPolicy::board_limit)},
    {"low_utilization", abi::field::kPerfPolicyLowUtilization,
     static_cast<int>(abi::PerfPolicy::low_utilization)},
    {"reliability", abi::field::kPerfPolicyReliability,
     static_cast<int>(abi::PerfPolicy::reliability)},
    {"total_app_clocks", abi::field::kPerfPolicyAppClocks,
     static_cast<int>(abi::PerfPolicy::total_app_clocks)},
    {"total_base_clocks", abi::field::kPerfPolicyBaseClocks,
     static_cast<int>(abi::PerfPolicy::total_base_clocks)},
}};

// Both kinds of counter are in nanoseconds.
inline constexpr double kThrottleCounterSeconds = 1e-9;

}  // namespace warpsight::nvml

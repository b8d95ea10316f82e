// The parts of the scenario parser; each reads one section and reports errors to the reader.
#pragma once

#include <cstdint>

#include "simulate/reader.h"
#include "simulate/scenario.h"

namespace warpsight::simulate {

inline constexpr double kMaxSeconds = 1e9;
inline constexpr std::uint32_t kHighestPid = 1U << 22U;

// How a signal may look in one place.
struct SignalRule {
  double lowest = -1e18, highest = 1e18;  // of every value
  const Signal* load = nullptr;           // what "load:" stands for; null: not allowed here
};

// `points` counts the timeline points of the whole scenario.
Signal parse_signal(Reader& reader, const YamlNode& node, const SignalRule& rule,
                    std::size_t& points);

void parse_gpus(Reader& reader, const YamlNode& node, Scenario& scenario);
void parse_mig(Reader& reader, const YamlNode& node, std::size_t gpu_index, Gpu& gpu,
               std::size_t& points);
void parse_processes(Reader& reader, const YamlNode& node, Scenario& scenario);
void parse_owners(Reader& reader, const YamlNode& node, Scenario& scenario);
void parse_faults(Reader& reader, const YamlNode& node, Scenario& scenario);

// An index, a list of them, or "all"; a bit for each.
std::uint64_t parse_gpu_selector(Reader& reader, const YamlNode& node, std::size_t gpus);
// A function's name, a prefix with '*' behind it, or a list of such, added to the set.
void parse_functions(Reader& reader, const YamlNode& node, FunctionSet& functions);

}  // namespace warpsight::simulate

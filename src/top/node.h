// A node as /api/v1/now tells of it (docs/api.md). What was not told is absent, never zero.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace warpsight::top {

using Values = std::map<std::string, double, std::less<>>;
using Texts = std::map<std::string, std::string, std::less<>>;

std::optional<double> find_value(const Values& values, std::string_view name);

// What tells how busy a GPU is, the best first.
inline constexpr std::array<std::string_view, 3> kUsageMetrics = {
    "gpu.utilization", "gpu.gr_engine.active", "gpu.sm.active"};

struct Owner {
  std::string name;
  std::string kind;
  std::string tenant;
  bool held = false;  // it was given the device; else it only uses it
  std::optional<double> since;
  std::optional<double> utilization;
  std::optional<double> memory;
  std::optional<double> busy;    // seconds
  std::optional<double> energy;  // joules
};

struct Process {
  std::string pid;
  std::string name;
  std::string owner;  // empty: not known
  std::optional<double> memory;
  std::optional<double> utilization;
};

struct Gpu {
  std::string id;
  bool mig = false;
  std::string parent;  // the id of the GPU a MIG instance is part of
  std::string index;   // "0", or "0/1" of a MIG instance
  std::string model;
  Texts attributes;
  Values values;
  std::vector<Owner> owners;
  std::vector<Process> processes;
  std::vector<std::string> alerts;  // ids

  std::optional<double> value(std::string_view metric) const { return find_value(values, metric); }
  // How busy it is, 0 to 1. A MIG instance has no gpu.utilization: its activity stands for it.
  std::optional<double> usage() const;
  // Used over total.
  std::optional<double> memory_share() const;
  bool flagged(std::string_view metric) const { return value(metric).value_or(0) != 0; }
};

struct ServedModel {
  std::string name;
  Values values;
  std::map<std::string, Values, std::less<>> latency;  // "ttft" -> "0.95" -> seconds

  std::optional<double> value(std::string_view metric) const { return find_value(values, metric); }
  std::optional<double> quantile(std::string_view latency_name, std::string_view q) const;
};

struct Engine {
  std::string id;
  std::string name;  // "vllm"
  std::string version;
  bool up = false;
  std::string error;
  std::vector<std::string> gpus;  // ids
  std::vector<ServedModel> models;
};

struct NodeAlert {
  std::string id;
  std::string name;
  std::string state;  // "pending", "firing", "resolved"
  std::string severity;
  std::optional<double> since;
  std::optional<double> fired;
  std::optional<double> resolved;
  std::string summary;
  Texts attributes;
  bool silenced = false;
};

struct NodeEvent {
  std::optional<double> time;
  std::string name;
  std::string severity;
  std::string message;
  Texts attributes;
};

struct Node {
  std::optional<double> time;  // Unix seconds; absent before the first publish
  std::optional<double> interval;
  std::string host;
  std::string version;
  std::optional<double> uptime;
  bool simulated = false;
  std::string scenario;
  std::vector<Gpu> gpus;
  std::vector<Engine> engines;
  Values values;  // of the node itself
  std::optional<double> devices_expected;
  std::optional<double> devices_lost;
  std::vector<NodeAlert> alerts;
  std::vector<NodeEvent> events;

  // nullptr when there is none of that id.
  const Gpu* gpu(std::string_view id) const;
  // Not silenced ones.
  size_t alerts_in(std::string_view state) const;
  // GPUs, MIG instances not counted.
  size_t whole_gpus() const;
};

// All texts are cut to some hundred characters and hold no control characters; lists are bounded.
Result<Node> parse_node(std::string_view json);

}  // namespace warpsight::top

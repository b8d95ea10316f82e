// Which things of a node a pane lists, and in which order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "top/node.h"

namespace warpsight::top {

enum class Pane : uint8_t { gpus, processes, engines, events };
inline constexpr size_t kPanes = 4;

// What a pane can be sorted by, the first of them at the start; each in the direction that is asked
// for most.
enum class SortBy : uint8_t {
  order,  // as the node tells
  utilization,
  memory,
  power,
  temperature,
  owner,
  pid,
  gpu,
  name,
  latency,
  queue,
  throughput,
  cache,
};

std::span<const SortBy> sorts_of(Pane pane);
std::string_view to_string(SortBy sort);

struct Order {
  SortBy by = SortBy::order;
  bool reversed = false;
};

// Things of a Node, valid as long as that is. `key` tells a row from the others of its pane, over
// documents.
struct GpuRow {
  std::string key;
  const Gpu* gpu;
};
struct ProcessRow {
  std::string key;
  const Gpu* gpu;
  const Process* process;
};
struct EngineRow {
  std::string key;
  const Engine* engine;
  const ServedModel* model;  // nullptr where the engine tells of none
};
struct EventRow {
  std::string key;
  const NodeAlert* alert;  // or
  const NodeEvent* event;
};

// `filter` is searched, in any case, in names, owners and ids; empty lets everything through. What
// has no value of the column it is sorted by comes last. A MIG instance stays behind its GPU.
std::vector<GpuRow> gpu_rows(const Node& node, Order order, std::string_view filter);
std::vector<ProcessRow> process_rows(const Node& node, Order order, std::string_view filter);
std::vector<EngineRow> engine_rows(const Node& node, Order order, std::string_view filter);
// Alerts first, then events, each as told.
std::vector<EventRow> event_rows(const Node& node, std::string_view filter);

// "ml/train-0, other", those that were given it first; empty when nobody is known.
std::string owners_of(const Gpu& gpu);

}  // namespace warpsight::top

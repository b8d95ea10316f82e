// The tables of the screen and of --once, made of rows of a node.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "top/grid.h"
#include "top/history.h"
#include "top/model.h"
#include "top/node.h"
#include "top/rows.h"

namespace warpsight::top {

// The last minutes as a little line; where there is no history there is none.
struct Trend {
  const History* history = nullptr;
  double end = 0;
  double hold = 0;  // seconds
};

Trend trend_of(const HostState& host);

Grid gpu_grid(const Node& node, std::span<const GpuRow> rows, Order order, const Trend& trend = {});
Grid process_grid(std::span<const ProcessRow> rows, Order order);
Grid engine_grid(std::span<const EngineRow> rows, Order order);
// Times are told as seen at `now`, the time of the document.
Grid event_grid(std::span<const EventRow> rows, std::optional<double> now);
Grid owner_grid(const Gpu& gpu, std::optional<double> now);
Grid host_grid(std::span<const HostState> hosts, SteadyTime now);

// "NVIDIA H100 80GB HBM3" without the maker.
std::string short_model(const std::string& model);
// What holds the GPU down or is wrong with it: "pwr xid79"; empty when nothing is.
GridCell flags_cell(const Node& node, const Gpu& gpu);
// Of whole GPUs; absent when none tells.
std::optional<double> total(const Node& node, std::string_view metric);
std::optional<double> mean_utilization(const Node& node);

Tone utilization_tone(std::optional<double> share);
Tone memory_tone(std::optional<double> share);
Tone temperature_tone(std::optional<double> degrees);
Tone severity_tone(std::string_view severity);

}  // namespace warpsight::top

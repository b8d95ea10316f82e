#include <algorithm>

#include "top/format.h"
#include "top/tables.h"
#include "top/titles.h"

namespace warpsight::top {
namespace {

constexpr int kTrendColumns = 30;

std::string kind_of(const Gpu& gpu) {
  const auto profile = gpu.attributes.find("gpu.mig.profile");
  if (!gpu.mig || profile == gpu.attributes.end()) return short_model(gpu.model);
  return "MIG " + profile->second;
}

GridCell owner_cell(const Node& node, const Gpu& gpu) {
  std::string owners = owners_of(gpu);
  if (!owners.empty()) return {.text = std::move(owners)};
  const bool divided = std::ranges::any_of(
      node.gpus, [&](const Gpu& part) { return part.mig && part.parent == gpu.id; });
  return {.text = divided ? "(divided)" : std::string(kAbsentText), .style = {.tone = Tone::dim}};
}

GridCell trend_cell(const Gpu& gpu, const Trend& trend) {
  GridCell cell{.text = {}, .style = {.tone = Tone::accent}};
  if (trend.history != nullptr) {
    cell.line = [&gpu, trend](size_t count) {
      return trend.history->line(gpu.id, Measure::utilization, trend.end, count, trend.hold);
    };
  }
  return cell;
}

std::vector<GridCell> gpu_cells(const Node& node, const Gpu& gpu, const Trend& trend) {
  const auto utilization = gpu.usage();
  const auto memory = gpu.memory_share();
  const auto degrees = gpu.value("gpu.temperature");
  const bool held_down = gpu.flagged("gpu.throttle.power_active");
  return {
      {.text = gpu.index.empty() ? std::string(kAbsentText) : gpu.index,
       .style = {.bold = !gpu.mig}},
      {.text = kind_of(gpu)},
      {.text = percent(utilization),
       .style = {.tone = utilization_tone(utilization)},
       .bar = utilization},
      {.text = gibibytes(gpu.value("gpu.memory.used"), gpu.value("gpu.memory.total")),
       .style = {.tone = memory_tone(memory)},
       .bar = memory},
      {.text = watts(gpu.value("gpu.power.draw"), gpu.value("gpu.power.limit")),
       .style = {.tone = held_down ? Tone::warn : Tone::plain}},
      {.text = celsius(degrees), .style = {.tone = temperature_tone(degrees)}},
      trend_cell(gpu, trend),
      flags_cell(node, gpu),
      owner_cell(node, gpu),
  };
}

}  // namespace

Trend trend_of(const HostState& host) {
  if (!host.node || !host.node->time) return {};
  constexpr double kHeldIntervals = 1.5;
  return {.history = &host.history,
          .end = *host.node->time,
          .hold = std::max(kHeldIntervals * host.node->interval.value_or(0), 5.0)};
}

std::string short_model(const std::string& model) {
  constexpr std::string_view kMaker = "NVIDIA ";
  if (model.empty()) return std::string(kAbsentText);
  return model.starts_with(kMaker) ? model.substr(kMaker.size()) : model;
}

GridCell flags_cell(const Node& node, const Gpu& gpu) {
  GridCell cell{.text = {}, .style = {.tone = Tone::warn}};
  const auto add = [&](const std::string& flag, Tone tone) {
    cell.text += (cell.text.empty() ? "" : " ") + flag;
    if (tone == Tone::bad) cell.style = {.tone = tone, .bold = true};
  };
  if (gpu.value("gpu.driver.responsive") == 0.0) add("HUNG", Tone::bad);
  const bool power = gpu.flagged("gpu.throttle.power_active");
  const bool thermal = gpu.flagged("gpu.throttle.thermal_active");
  if (power) add("pwr", Tone::warn);
  if (thermal) add("thm", Tone::bad);
  if (!power && !thermal && gpu.flagged("gpu.throttle.hw_active")) add("hw", Tone::warn);
  if (!power && !thermal && gpu.flagged("gpu.throttle.sw_active")) add("sw", Tone::warn);
  if (const auto xid = gpu.value("gpu.xid.last_error_code"); xid && *xid > 0) {
    add("xid" + amount(xid), Tone::bad);
  }
  const auto firing = std::ranges::count_if(node.alerts, [&](const NodeAlert& alert) {
    return alert.state == "firing" && !alert.silenced &&
           std::ranges::find(gpu.alerts, alert.id) != gpu.alerts.end();
  });
  if (firing > 0) add("!" + std::to_string(firing), Tone::bad);
  return cell;
}

Grid gpu_grid(const Node& node, std::span<const GpuRow> rows, Order order, const Trend& trend) {
  Grid grid;
  grid.columns = {
      {.title = "GPU", .least = 3, .most = 7},
      {.title = "MODEL", .least = 8, .most = 26, .spare = 3},
      {.title = number_title("UTIL", SortBy::utilization, order),
       .least = 9,
       .most = 20,
       .right = true,
       .fills = true},
      {.title = number_title("MEMORY", SortBy::memory, order),
       .least = 14,
       .most = 26,
       .right = true,
       .fills = true},
      {.title = number_title("POWER", SortBy::power, order), .least = 8, .most = 10, .right = true},
      {.title = number_title("TEMP", SortBy::temperature, order),
       .least = 5,
       .most = 5,
       .right = true},
      {.title = "LAST 10 MIN", .least = 20, .most = kTrendColumns, .spare = 5, .fills = true},
      {.title = "FLAGS", .least = 5, .most = 14},
      {.title = text_title("OWNER", SortBy::owner, order), .least = 9, .most = 48},
  };
  constexpr size_t kModel = 1;
  constexpr size_t kTrend = 6;
  const bool alike =
      std::ranges::adjacent_find(rows, std::ranges::not_equal_to{},
                                 [](const GpuRow& row) { return kind_of(*row.gpu); }) == rows.end();
  if (rows.size() > 1 && alike) grid.columns[kModel].least = 0;
  if (trend.history == nullptr) grid.columns[kTrend].least = 0;
  for (const GpuRow& row : rows) grid.rows.push_back(gpu_cells(node, *row.gpu, trend));
  return grid;
}

}  // namespace warpsight::top

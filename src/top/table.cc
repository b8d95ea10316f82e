#include "top/table.h"

#include <fmt/format.h>

#include <utility>

#include "top/format.h"
#include "top/tables.h"

namespace warpsight::top {
namespace {

void add_grid(std::string& out, Grid grid, int width, Charset charset) {
  for (auto& row : grid.rows) {
    for (GridCell& cell : row) cell.bar.reset();
  }
  for (GridColumn& column : grid.columns) column.fills = false;
  Canvas canvas(width, static_cast<int>(grid.rows.size()) + 1, charset);
  draw_grid(canvas, canvas.area(), grid);
  out += canvas.text();
}

std::string headline(const Node& node) {
  std::string out = node.host.empty() ? std::string(kAbsentText) : node.host;
  if (node.simulated) out += fmt::format("  SIMULATED {}", node.scenario);
  out += fmt::format("  {} GPUs", node.whole_gpus());
  if (node.devices_lost.value_or(0) > 0) {
    out += fmt::format("  {} of {} LOST", amount(node.devices_lost), amount(node.devices_expected));
  }
  return out + fmt::format("  {}  gpu {}  {}", clock_time(node.time, node.time),
                           percent(mean_utilization(node)),
                           watts(total(node, "gpu.power.draw"), total(node, "gpu.power.limit")));
}

void add_node(std::string& out, const Node& node, int width, Charset charset) {
  Canvas line(width, 1, charset);
  line.put(0, 0, headline(node));
  out += line.text();
  const auto gpus = gpu_rows(node, {}, {});
  if (gpus.empty()) {
    out += " no GPU was found; `warpsight doctor` says why\n";
  } else {
    add_grid(out, gpu_grid(node, gpus, {}), width, charset);
  }
  const auto processes = process_rows(node, {.by = SortBy::memory}, {});
  if (!processes.empty()) {
    out += "\n";
    add_grid(out, process_grid(processes, {}), width, charset);
  }
  const auto engines = engine_rows(node, {}, {});
  if (!engines.empty()) {
    out += "\n";
    add_grid(out, engine_grid(engines, {}), width, charset);
  }
  std::vector<EventRow> alerts;
  for (const NodeAlert& alert : node.alerts) {
    if (alert.state != "resolved") alerts.push_back({alert.id, &alert, nullptr});
  }
  if (!alerts.empty()) {
    out += "\n";
    add_grid(out, event_grid(alerts, node.time), width, charset);
  }
}

}  // namespace

std::string once_text(const std::vector<Node>& nodes, int width, Charset charset) {
  std::string out;
  for (const Node& node : nodes) {
    if (!out.empty()) out += "\n";
    add_node(out, node, width, charset);
  }
  return out;
}

}  // namespace warpsight::top

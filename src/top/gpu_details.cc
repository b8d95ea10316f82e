#include "top/gpu_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "top/format.h"
#include "top/sections.h"
#include "top/tables.h"

namespace warpsight::top {
namespace {

constexpr int kFacts = 3;
constexpr int kFrame = 4;  // two lines of header, a title, a footer

struct Section {
  std::string title;
  Grid grid;
};

bool is_about(const Texts& attributes, const Gpu& gpu) {
  return std::ranges::any_of(attributes, [&](const auto& entry) {
    return (entry.first == "gpu.uuid" || entry.first == "gpu.mig.uuid") && entry.second == gpu.id;
  });
}

std::vector<Section> sections_of(const Node& node, const Gpu& gpu) {
  std::vector<GpuRow> parts;
  for (const Gpu& part : node.gpus) {
    if (part.mig && part.parent == gpu.id) parts.push_back({part.id, &part});
  }
  std::vector<ProcessRow> processes;
  processes.reserve(gpu.processes.size());
  for (const Process& process : gpu.processes) processes.push_back({process.pid, &gpu, &process});
  std::vector<EventRow> events = event_rows(node, {});
  std::erase_if(events, [&](const EventRow& row) {
    if (row.event != nullptr) return !is_about(row.event->attributes, gpu);
    return !is_about(row.alert->attributes, gpu) &&
           std::ranges::find(gpu.alerts, row.alert->id) == gpu.alerts.end();
  });

  std::vector<Section> out;
  out.push_back({"Owners", owner_grid(gpu, node.time)});
  if (!parts.empty()) out.push_back({"MIG instances", gpu_grid(node, parts, {})});
  out.push_back({"Processes", process_grid(processes, {})});
  out.push_back({"Alerts & events", event_grid(events, node.time)});
  return out;
}

// Its title, and its table or a line that says there is nothing.
int height_of(const Section& section) {
  return 1 + (section.grid.rows.empty() ? 1 : 1 + static_cast<int>(section.grid.rows.size()));
}

std::string attribute(const Gpu& gpu, std::string_view key) {
  const auto found = gpu.attributes.find(key);
  return found == gpu.attributes.end() ? std::string(kAbsentText) : found->second;
}

void draw_facts(Canvas& canvas, const Node& node, const Gpu& gpu) {
  const GridCell flags = flags_cell(node, gpu);
  const auto limit = gpu.value("gpu.power.limit");
  canvas.put(1, 0,
             fmt::format("{}  {}{}", gpu.id, gpu.model,
                         gpu.mig ? "  profile " + attribute(gpu, "gpu.mig.profile") : ""),
             {.tone = Tone::dim});
  canvas.put(
      1, 1,
      fmt::format("busy {}  SM {}  memory {}  power {}  {}  clock {}", percent(gpu.usage()),
                  percent(gpu.value("gpu.sm.active")),
                  gibibytes(gpu.value("gpu.memory.used"), gpu.value("gpu.memory.total")),
                  watts(gpu.value("gpu.power.draw"), limit), celsius(gpu.value("gpu.temperature")),
                  megahertz(gpu.value("gpu.clock.frequency"))));
  const int x = canvas.put(1, 2, "flags ");
  canvas.put(x, 2, flags.text.empty() ? "none" : flags.text,
             flags.text.empty() ? Style{} : flags.style);
}

}  // namespace

int details_height(const Node& node, const Gpu& gpu) {
  int height = kFacts;
  for (const Section& section : sections_of(node, gpu)) height += height_of(section);
  return height;
}

int details_chart_height(int height) { return std::clamp((height - kFrame) / 4 - 1, 1, 8); }

int details_room(int height) {
  return std::max(height - kFrame - 2 * (1 + details_chart_height(height)), 1);
}

void draw_details(Canvas& canvas, const Node& node, const Gpu& gpu) {
  draw_facts(canvas, node, gpu);
  int y = kFacts;
  for (const Section& section : sections_of(node, gpu)) {
    const int height = height_of(section);
    const Area area{0, y, canvas.width(), height};
    draw_title(canvas, area, {{.text = section.title}});
    if (section.grid.rows.empty()) {
      canvas.put(1, y + 1, "none", {.tone = Tone::dim});
    } else {
      draw_grid(canvas, {0, y + 1, canvas.width(), height - 1}, section.grid);
    }
    y += height;
  }
}

}  // namespace warpsight::top

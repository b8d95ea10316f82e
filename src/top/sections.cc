#include "top/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "top/chart.h"
#include "top/format.h"
#include "top/tables.h"

namespace warpsight::top {
namespace {

std::string measure_title(Measure measure, const Gpu& gpu) {
  switch (measure) {
    case Measure::utilization: return "utilisation " + percent(gpu.usage());
    case Measure::memory: return "memory " + percent(gpu.memory_share());
    case Measure::power:
      return "power " + watts(gpu.value("gpu.power.draw"), gpu.value("gpu.power.limit"));
    case Measure::temperature: return "temperature " + celsius(gpu.value("gpu.temperature"));
  }
  return {};
}

double measure_top(Measure measure, const Gpu& gpu, const std::vector<float>& line) {
  constexpr double kHottest = 100;
  if (measure == Measure::temperature) return kHottest;
  if (measure != Measure::power) return 1;
  if (const auto limit = gpu.value("gpu.power.limit")) return *limit;
  float most = 1;
  for (const float value : line) most = std::fmax(most, value);
  return static_cast<double>(most);
}

}  // namespace

void draw_title(Canvas& canvas, const Area& area, const std::vector<Heading>& headings) {
  for (int x = 0; x < area.width; ++x) canvas.set(area.x + x, area.y, U'─', {.tone = Tone::dim});
  int x = area.x + 1;
  const int end = area.x + area.width - 1;
  for (const Heading& heading : headings) {
    if (x + 2 >= end) break;
    const Style style{.tone = heading.active ? Tone::accent : Tone::title,
                      .bold = true,
                      .reverse = heading.active};
    x = canvas.put(x, area.y, " " + heading.text + " ", style, end - x) + 1;
  }
}

void draw_measure(Canvas& canvas, const Area& area, const HostState& host, const Gpu& gpu,
                  Measure measure) {
  constexpr std::array<Tone, kMeasures> kLines = {Tone::good, Tone::accent, Tone::warn, Tone::bad};
  const Trend trend = trend_of(host);
  canvas.put(area.x, area.y, measure_title(measure, gpu), {.bold = true}, area.width);
  if (trend.history == nullptr) return;
  const std::vector<float> line =
      trend.history->line(gpu.id, measure, trend.end, chart_values(area.width), trend.hold);
  draw_chart(canvas, {area.x, area.y + 1, area.width, area.height - 1}, line,
             measure_top(measure, gpu, line), {.tone = kLines[static_cast<size_t>(measure)]});
}

void draw_footer(Canvas& canvas, const Model& model) {
  const int y = canvas.height() - 1;
  if (model.typing()) {
    const int x =
        canvas.put(1, y, "filter: " + model.filter(), {.tone = Tone::accent, .bold = true});
    canvas.set(x, y, U' ', {.reverse = true});
    return;
  }
  std::string keys = "q quit  ? help";
  switch (model.view()) {
    case View::hosts: keys += "  ↑↓ select  Enter open  p pause"; break;
    case View::gpu: keys += "  Esc back  ↑↓ scroll  p pause"; break;
    case View::node:
      keys += fmt::format("  Tab pane  Enter open  / filter  s/r sort: {}  p pause",
                          to_string(model.order(model.pane()).by));
  }
  if (model.hosts().size() > 1) keys += "  n/b host";
  int x = 1;
  if (!model.filter().empty()) {
    x = canvas.put(x, y, "filter: " + model.filter() + " (Esc clears)",
                   {.tone = Tone::accent, .bold = true}) +
        2;
  }
  canvas.put(x, y, keys, {.tone = Tone::dim});
}

void draw_help(Canvas& canvas) {
  constexpr std::array<std::string_view, 17> kLines = {
      "warpsight top",
      "",
      "↑ ↓  j k     select a row         Home End PgUp PgDn",
      "Enter        open a host, or the GPU of the row",
      "Esc          back; clears the filter",
      "Tab          next pane            Shift-Tab: previous",
      "s  r         sort by the next column; reverse",
      "/            filter by name, owner or id",
      "n  b         next and previous host",
      "p            pause the screen     c   colour on and off",
      "h  ?         this help            q   quit",
      "",
      "flags: pwr thm hw sw  held down by power, heat, hardware,",
      "       software; xidN the last XID; !N alerts that fire;",
      "       HUNG the driver does not answer for it",
      "–  not known, which is not zero",
      "any key closes this"};
  constexpr int kWidth = 62;
  const int height = static_cast<int>(kLines.size()) + 2;
  const Area box{std::max((canvas.width() - kWidth) / 2, 0),
                 std::max((canvas.height() - height) / 2, 0), std::min(kWidth, canvas.width()),
                 std::min(height, canvas.height())};
  canvas.clear(box);
  const int right = box.x + box.width - 1;
  const int bottom = box.y + box.height - 1;
  for (int x = box.x; x <= right; ++x) {
    canvas.set(x, box.y, x == box.x ? U'┌' : x == right ? U'┐' : U'─');
    canvas.set(x, bottom, x == box.x ? U'└' : x == right ? U'┘' : U'─');
  }
  for (int y = box.y + 1; y < bottom; ++y) {
    canvas.set(box.x, y, U'│');
    canvas.set(right, y, U'│');
    const std::string_view line = kLines[static_cast<size_t>(y - box.y - 1)];
    canvas.put(box.x + 2, y, line,
               {.tone = y == box.y + 1 ? Tone::title : Tone::plain, .bold = y == box.y + 1},
               box.width - 4);
  }
}

}  // namespace warpsight::top

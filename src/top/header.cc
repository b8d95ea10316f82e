#include <fmt/format.h>

#include <algorithm>

#include "top/format.h"
#include "top/sections.h"
#include "top/tables.h"

namespace warpsight::top {
namespace {

struct Piece {
  std::string text;
  Style style;
};

// What must not be cut off: from the right edge to the left. Returns where it begins.
int draw_marks(Canvas& canvas, const Model& model) {
  std::vector<Piece> marks;
  const auto& node = model.host().node;
  const bool one = model.view() != View::hosts;
  const bool simulated =
      one ? node && node->simulated : std::ranges::any_of(model.hosts(), [](const HostState& host) {
        return host.node && host.node->simulated;
      });
  if (simulated) {
    marks.push_back({one ? fmt::format(" SIMULATED {} ", node->scenario) : " SIMULATED ",
                     {.tone = Tone::warn, .bold = true, .reverse = true}});
  }
  if (model.paused()) {
    marks.push_back({" PAUSED ", {.tone = Tone::accent, .bold = true, .reverse = true}});
  }
  size_t firing = 0;
  size_t pending = 0;
  for (const HostState& host : model.hosts()) {
    if (!host.node || (one && &host != &model.host())) continue;
    firing += host.node->alerts_in("firing");
    pending += host.node->alerts_in("pending");
  }
  if (pending > 0) marks.push_back({fmt::format("{} pending", pending), {.tone = Tone::warn}});
  if (firing > 0) {
    marks.push_back(
        {fmt::format(" {} FIRING ", firing), {.tone = Tone::bad, .bold = true, .reverse = true}});
  }
  int end = canvas.width();
  for (const Piece& mark : marks) {
    canvas.put_right(end, 0, mark.text, mark.style);
    end = std::max(end - text_columns(mark.text) - 1, 0);
  }
  return end;
}

// "8× H100 80GB HBM3", or "8 GPUs" of several models.
std::string devices_of(const Node& node) {
  const size_t count = node.whole_gpus();
  if (count == 0) return "no GPU";
  const std::string& model = node.gpus.front().model;
  const bool alike =
      std::ranges::all_of(node.gpus, [&](const Gpu& gpu) { return gpu.model == model; });
  return alike && !model.empty() ? fmt::format("{}× {}", count, short_model(model))
                                 : fmt::format("{} GPU{}", count, count == 1 ? "" : "s");
}

std::vector<Piece> identity_of(const Model& model) {
  const HostState& host = model.host();
  std::vector<Piece> out;
  if (model.view() == View::hosts) {
    out.push_back(
        {fmt::format("{} hosts", model.hosts().size()), {.tone = Tone::title, .bold = true}});
    return out;
  }
  out.push_back({host.node && !host.node->host.empty() ? host.node->host : host.name,
                 {.tone = Tone::title, .bold = true}});
  if (model.hosts().size() > 1) {
    out.push_back(
        {fmt::format("{}/{}", model.host_at() + 1, model.hosts().size()), {.tone = Tone::dim}});
  }
  if (!host.node) return out;
  const bool stale = host.stale(model.now());
  out.push_back({clock_time(host.node->time, host.node->time), {}});
  out.push_back({"age " + span(host.age(model.now())),
                 {.tone = stale ? Tone::bad : Tone::dim, .bold = stale}});
  out.push_back({devices_of(*host.node), {}});
  out.push_back({"up " + span(host.node->uptime), {.tone = Tone::dim}});
  return out;
}

std::vector<Piece> totals_of(const Node& node) {
  const auto value = [&](std::string_view name) { return find_value(node.values, name); };
  return {{fmt::format("gpu {}", percent(mean_utilization(node))), {}},
          {watts(total(node, "gpu.power.draw"), total(node, "gpu.power.limit")), {}},
          {fmt::format("cpu {}", percent(value("system.cpu.utilization"))), {}},
          {fmt::format("mem {}", percent(value("system.memory.utilization"))), {}},
          {fmt::format("load {}", amount(value("system.cpu.load_average.1m"))), {}}};
}

void draw_pieces(Canvas& canvas, int x, int y, int end, const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) {
    if (x >= end) break;
    x = canvas.put(x, y, piece.text, piece.style, end - x) + 2;
  }
}

}  // namespace

void draw_header(Canvas& canvas, const Model& model) {
  const int end = draw_marks(canvas, model);
  draw_pieces(canvas, 1, 0, end, identity_of(model));
  if (model.view() == View::hosts) return;

  const HostState& host = model.host();
  constexpr Style kLoud{.tone = Tone::bad, .bold = true};
  std::vector<Piece> line;
  if (host.error) line.push_back({describe(*host.error), kLoud});
  if (host.node && host.node->devices_lost.value_or(0) > 0) {
    line.push_back({fmt::format("{} of {} GPUs LOST", amount(host.node->devices_lost),
                                amount(host.node->devices_expected)),
                    kLoud});
  }
  if (host.node) std::ranges::move(totals_of(*host.node), std::back_inserter(line));
  if (!host.node && !host.error) line.push_back({"no answer yet", {.tone = Tone::dim}});
  draw_pieces(canvas, 1, 1, canvas.width(), line);
}

}  // namespace warpsight::top

#include "top/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "top/gpu_details.h"
#include "top/sections.h"
#include "top/tables.h"

namespace warpsight::top {
namespace {

constexpr int kHeader = 2;
constexpr int kFooter = 1;
constexpr int kOneChart = 38;     // columns
constexpr int kWideScreen = 160;  // from here panes stand side by side
constexpr int kAllPanes = 18;     // lines that three panes below the GPUs want

struct Listing {
  std::string name;
  Grid grid;
  std::vector<std::string> keys;
  std::string empty;  // said when there is nothing
};

template <typename Row>
std::vector<std::string> keys_of(const std::vector<Row>& rows) {
  std::vector<std::string> keys;
  keys.reserve(rows.size());
  for (const Row& row : rows) keys.push_back(row.key);
  return keys;
}

std::string nothing(const Model& model, std::string_view otherwise) {
  return model.filter().empty() ? std::string(otherwise) : "nothing matches the filter";
}

Listing list(const Model& model, Pane pane) {
  const Node& node = *model.node();
  const Order order = model.order(pane);
  switch (pane) {
    case Pane::gpus: {
      const auto rows = gpu_rows(node, order, model.filter());
      return {"GPUs", gpu_grid(node, rows, order, trend_of(model.host())), keys_of(rows),
              nothing(model, "no GPU was found; `warpsight doctor` says why")};
    }
    case Pane::processes: {
      const auto rows = process_rows(node, order, model.filter());
      return {"Processes", process_grid(rows, order), keys_of(rows),
              nothing(model, "no process uses a GPU")};
    }
    case Pane::engines: {
      const auto rows = engine_rows(node, order, model.filter());
      return {"Engines", engine_grid(rows, order), keys_of(rows),
              nothing(model, "no serving engine was found")};
    }
    case Pane::events: break;
  }
  const auto rows = event_rows(node, model.filter());
  return {"Events", event_grid(rows, node.time), keys_of(rows),
          nothing(model, "no alert, no event")};
}

std::string heading(const Listing& listing) {
  return fmt::format("{} {}", listing.name, listing.grid.rows.size());
}

void draw_listing(Canvas& canvas, const Area& area, const Model& model, Pane pane,
                  const Listing& listing) {
  const bool focused = model.pane() == pane;
  if (listing.grid.rows.empty()) {
    canvas.put(area.x + 1, area.y, listing.empty, {.tone = Tone::dim}, area.width - 1);
    return;
  }
  GridLook look{.selected = {}, .focused = focused};
  if (focused || pane == Pane::gpus) look.selected = model.selected(pane, listing.keys);
  draw_grid(canvas, area, listing.grid, look);
}

void draw_pane(Canvas& canvas, const Area& area, const Model& model, Pane pane) {
  if (area.height < 2) return;
  const Listing listing = list(model, pane);
  draw_title(canvas, area, {{.text = heading(listing), .active = model.pane() == pane}});
  draw_listing(canvas, {area.x, area.y + 1, area.width, area.height - 1}, model, pane, listing);
}

// One pane, and the names of the others on its title.
void draw_tabs(Canvas& canvas, const Area& area, const Model& model) {
  if (area.height < 2) return;
  std::vector<Heading> headings;
  Listing shown;
  for (const Pane pane : {Pane::processes, Pane::engines, Pane::events}) {
    Listing listing = list(model, pane);
    const bool here = pane == model.lower_pane();
    headings.push_back({.text = (here ? "[" : "") + heading(listing) + (here ? "]" : ""),
                        .active = pane == model.pane()});
    if (here) shown = std::move(listing);
  }
  draw_title(canvas, area, headings);
  draw_listing(canvas, {area.x, area.y + 1, area.width, area.height - 1}, model, model.lower_pane(),
               shown);
}

void draw_lower(Canvas& canvas, const Area& area, const Model& model) {
  if (area.height < kAllPanes) {
    draw_tabs(canvas, area, model);
    return;
  }
  const auto rows = engine_rows(*model.node(), {}, model.filter()).size();
  const int engines = std::clamp(static_cast<int>(rows) + 2, 3, area.height / 3);
  if (area.width >= kWideScreen) {
    const int left = area.width / 2 - 1;
    const int x = area.x + left + 2;
    draw_pane(canvas, {area.x, area.y, left, area.height}, model, Pane::processes);
    draw_pane(canvas, {x, area.y, area.width - left - 2, engines}, model, Pane::engines);
    draw_pane(canvas, {x, area.y + engines, area.width - left - 2, area.height - engines}, model,
              Pane::events);
    return;
  }
  const int events = std::clamp(area.height / 3, 4, 12);
  const int processes = area.height - engines - events;
  draw_pane(canvas, {area.x, area.y, area.width, processes}, model, Pane::processes);
  draw_pane(canvas, {area.x, area.y + processes, area.width, engines}, model, Pane::engines);
  draw_pane(canvas, {area.x, area.y + processes + engines, area.width, events}, model,
            Pane::events);
}

constexpr std::array kAllMeasures = {Measure::utilization, Measure::memory, Measure::power,
                                     Measure::temperature};

void draw_charts(Canvas& canvas, const Area& area, const Model& model) {
  const Gpu* gpu = model.gpu();
  if (gpu == nullptr || area.height < 3) return;
  draw_title(canvas, area, {{.text = fmt::format("GPU {}, last 10 minutes", gpu->index)}});
  const int count = std::clamp(area.width / kOneChart, 1, static_cast<int>(kMeasures));
  const int width = (area.width - 2) / count;
  for (int i = 0; i < count; ++i) {
    draw_measure(canvas, {area.x + 1 + i * width, area.y + 1, width - 2, area.height - 1},
                 model.host(), *gpu, kAllMeasures[static_cast<size_t>(i)]);
  }
}

void draw_node(Canvas& canvas, const Model& model) {
  const Node& node = *model.node();
  const int height = canvas.height() - kHeader - kFooter;
  const auto gpus = gpu_rows(node, {}, model.filter()).size();
  const int gpu_height =
      gpus == 0 ? 2 : std::min(static_cast<int>(gpus) + 2, std::max(5, height / 2));
  const int rest = height - gpu_height;
  const int charts = gpus > 0 && rest >= 9 ? std::clamp(rest / 4, 4, 9) : 0;
  int y = kHeader;
  draw_pane(canvas, {0, y, canvas.width(), gpu_height}, model, Pane::gpus);
  y += gpu_height;
  draw_charts(canvas, {0, y, canvas.width(), charts}, model);
  y += charts;
  draw_lower(canvas, {0, y, canvas.width(), rest - charts}, model);
}

void draw_gpu(Canvas& canvas, const Model& model) {
  const Gpu* gpu = model.gpu();
  if (gpu == nullptr) {
    canvas.put(1, kHeader + 1, "this GPU is gone; Esc goes back",
               {.tone = Tone::bad, .bold = true});
    return;
  }
  const Node& node = *model.node();
  draw_title(
      canvas, {0, kHeader, canvas.width(), 1},
      {{.text = fmt::format("GPU {}  {}", gpu->index, short_model(gpu->model)), .active = true}});
  const int chart = 1 + details_chart_height(canvas.height());
  const int width = (canvas.width() - 2) / 2;
  for (int i = 0; i < static_cast<int>(kMeasures); ++i) {
    draw_measure(canvas, {1 + i % 2 * width, kHeader + 1 + i / 2 * chart, width - 2, chart},
                 model.host(), *gpu, kAllMeasures[static_cast<size_t>(i)]);
  }
  Canvas details(canvas.width(), details_height(node, *gpu), canvas.charset());
  draw_details(details, node, *gpu);
  const int room = details_room(canvas.height());
  canvas.copy_rows(details, std::min(model.scroll(), std::max(details.height() - room, 0)),
                   {0, kHeader + 1 + 2 * chart, canvas.width(), room});
}

}  // namespace

void render(const Model& model, Canvas& canvas) {
  canvas.clear(canvas.area());
  if (canvas.width() < kLeastWidth || canvas.height() < kLeastHeight) {
    canvas.put(0, 0,
               fmt::format("too small: {}×{} of {}×{}", canvas.width(), canvas.height(),
                           kLeastWidth, kLeastHeight));
    return;
  }
  draw_header(canvas, model);
  if (model.view() == View::hosts) {
    draw_grid(canvas, {0, kHeader, canvas.width(), canvas.height() - kHeader - kFooter},
              host_grid(model.hosts(), model.now()),
              {.selected = model.host_at(), .focused = true});
  } else if (model.node() != nullptr) {
    if (model.view() == View::gpu) {
      draw_gpu(canvas, model);
    } else {
      draw_node(canvas, model);
    }
  }
  draw_footer(canvas, model);
  if (model.helping()) draw_help(canvas);
}

}  // namespace warpsight::top

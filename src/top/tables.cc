#include "top/tables.h"

#include <algorithm>

#include "top/format.h"
#include "top/titles.h"

namespace warpsight::top {
namespace {

std::string or_absent(const std::string& text) {
  return text.empty() ? std::string(kAbsentText) : text;
}

std::string marked(std::string_view title, bool sorted, bool falls) {
  return std::string(title) + (!sorted ? "" : falls ? "▼" : "▲");
}

GridCell text_cell(const std::string& text) {
  return {.text = or_absent(text), .style = {.tone = text.empty() ? Tone::dim : Tone::plain}};
}

GridCell share_cell(Number share, Tone tone) {
  return {.text = percent(share), .style = {.tone = tone}, .bar = share};
}

// For times: one that is cut off reads as another.
void never_cut(Grid& grid, size_t column) {
  int& least = grid.columns[column].least;
  for (const auto& row : grid.rows) least = std::max(least, text_columns(row[column].text));
}

std::vector<GridCell> engine_cells(const EngineRow& row) {
  const Engine& engine = *row.engine;
  static const ServedModel kNone;
  const ServedModel& model = row.model != nullptr ? *row.model : kNone;
  const Tone tone = engine.up ? Tone::plain : Tone::bad;
  const std::string down = engine.error.empty() ? "down" : "down: " + engine.error;
  const auto waiting = model.value("llm.requests.waiting");
  const auto cache = model.value("llm.kv_cache.usage");
  return {{.text = or_absent(engine.name), .style = {.tone = tone}},
          text_cell(engine.id),
          engine.up ? text_cell(model.name) : GridCell{.text = down, .style = {.tone = tone}},
          {.text = latency(model.quantile("ttft", "0.95"))},
          {.text = latency(model.quantile("request", "0.99"))},
          {.text = amount(model.value("llm.requests.running"))},
          {.text = amount(waiting),
           .style = {.tone = waiting.value_or(0) > 10 ? Tone::warn : Tone::plain}},
          {.text = amount(model.value("llm.generation.throughput"))},
          share_cell(cache, memory_tone(cache)),
          {.text = percent(model.value("llm.error.share"))}};
}

std::vector<GridCell> event_cells(const EventRow& row, Number now) {
  if (row.alert == nullptr) {
    const Style style{.tone = severity_tone(row.event->severity)};
    return {{.text = clock_time(row.event->time, now), .style = {.tone = Tone::dim}},
            {.text = or_absent(row.event->severity), .style = style},
            {.text = row.event->name + "  " + row.event->message, .style = style}};
  }
  const NodeAlert& alert = *row.alert;
  const bool firing = alert.state == "firing" && !alert.silenced;
  const Style style{.tone = firing ? severity_tone(alert.severity) : Tone::dim, .bold = firing};
  const Number time = alert.resolved ? alert.resolved : alert.fired ? alert.fired : alert.since;
  return {{.text = clock_time(time, now), .style = {.tone = Tone::dim}},
          {.text = alert.silenced ? "silenced"
                   : firing       ? "FIRING"
                                  : alert.state,
           .style = style},
          {.text = alert.name + "  " + alert.summary, .style = style}};
}

std::vector<GridCell> host_cells(const HostState& host, SteadyTime now) {
  const bool stale = host.stale(now);
  GridCell age{.text = host.node ? span(host.age(now)) : std::string(kAbsentText),
               .style = {.tone = stale ? Tone::bad : Tone::plain, .bold = stale}};
  GridCell note;
  if (host.error) {
    note = {.text = describe(*host.error), .style = {.tone = Tone::bad}};
  } else if (!host.node) {
    note = {.text = "no answer yet", .style = {.tone = Tone::dim}};
  } else if (host.node->simulated) {
    note = {.text = "SIMULATED " + host.node->scenario,
            .style = {.tone = Tone::warn, .bold = true}};
  }
  static const Node kNone;
  const Node& node = host.node ? *host.node : kNone;
  const Number told = host.node ? Number(0) : std::nullopt;
  const auto count = [&](size_t things) {
    return amount(told ? Number(static_cast<double>(things)) : told);
  };
  const size_t firing = node.alerts_in("firing");
  const bool lost = node.devices_lost.value_or(0) > 0;
  const auto utilization = mean_utilization(node);
  return {{.text = host.name, .style = {.bold = true}},
          {.text = count(node.whole_gpus()) + (lost ? "-" + amount(node.devices_lost) : ""),
           .style = {.tone = lost ? Tone::bad : Tone::plain}},
          share_cell(utilization, utilization_tone(utilization)),
          {.text = watts(total(node, "gpu.power.draw"), std::nullopt)},
          {.text = count(firing), .style = {.tone = firing > 0 ? Tone::bad : Tone::plain}},
          {.text = count(node.engines.size())},
          std::move(age),
          std::move(note)};
}

}  // namespace

std::string number_title(std::string_view title, SortBy by, Order order) {
  return marked(title, order.by == by, !order.reversed);
}

std::string text_title(std::string_view title, SortBy by, Order order) {
  return marked(title, order.by == by, order.reversed);
}

Grid process_grid(std::span<const ProcessRow> rows, Order order) {
  Grid grid;
  grid.columns = {
      {.title = text_title("PID", SortBy::pid, order), .least = 7, .most = 10, .right = true},
      {.title = text_title("OWNER", SortBy::owner, order), .least = 10, .most = 48},
      {.title = text_title("GPU", SortBy::gpu, order), .least = 4, .most = 7},
      {.title = number_title("MEMORY", SortBy::memory, order),
       .least = 7,
       .most = 8,
       .right = true},
      {.title = number_title("UTIL", SortBy::utilization, order),
       .least = 5,
       .most = 16,
       .right = true,
       .fills = true},
      {.title = text_title("NAME", SortBy::name, order), .least = 8, .most = 80},
  };
  for (const ProcessRow& row : rows) {
    const Process& process = *row.process;
    grid.rows.push_back({text_cell(process.pid),
                         text_cell(process.owner),
                         text_cell(row.gpu->index),
                         {.text = gibibytes(process.memory, std::nullopt)},
                         share_cell(process.utilization, utilization_tone(process.utilization)),
                         text_cell(process.name)});
  }
  return grid;
}

Grid engine_grid(std::span<const EngineRow> rows, Order order) {
  Grid grid;
  grid.columns = {
      {.title = text_title("ENGINE", SortBy::name, order), .least = 8, .most = 16},
      {.title = "ADDRESS", .least = 12, .most = 26, .spare = 4},
      {.title = "MODEL", .least = 8, .most = 60},
      {.title = number_title("TTFT p95", SortBy::latency, order),
       .least = 9,
       .most = 9,
       .right = true},
      {.title = "E2E p99", .least = 7, .most = 7, .right = true, .spare = 2},
      {.title = "RUN", .least = 4, .most = 6, .right = true, .spare = 1},
      {.title = number_title("QUEUE", SortBy::queue, order), .least = 6, .most = 6, .right = true},
      {.title = number_title("TOK/S", SortBy::throughput, order),
       .least = 6,
       .most = 7,
       .right = true},
      {.title = number_title("KV", SortBy::cache, order),
       .least = 4,
       .most = 14,
       .right = true,
       .fills = true},
      {.title = "ERR", .least = 4, .most = 4, .right = true, .spare = 3},
  };
  for (const EngineRow& row : rows) grid.rows.push_back(engine_cells(row));
  return grid;
}

Grid event_grid(std::span<const EventRow> rows, Number now) {
  Grid grid;
  grid.columns = {{.title = "TIME", .least = 8, .most = 8},
                  {.title = "STATE", .least = 8, .most = 9},
                  {.title = "WHAT", .least = 20, .most = 1000}};
  for (const EventRow& row : rows) grid.rows.push_back(event_cells(row, now));
  never_cut(grid, 0);
  return grid;
}

Grid owner_grid(const Gpu& gpu, Number now) {
  Grid grid;
  grid.columns = {{.title = "OWNER", .least = 12, .most = 48},
                  {.title = "KIND", .least = 5, .most = 12, .spare = 2},
                  {.title = "TENANT", .least = 6, .most = 20, .spare = 3},
                  {.title = "HOLDS", .least = 5, .most = 5},
                  {.title = "SINCE", .least = 8, .most = 8, .spare = 1},
                  {.title = "UTIL", .least = 5, .most = 16, .right = true, .fills = true},
                  {.title = "MEMORY", .least = 7, .most = 8, .right = true},
                  {.title = "BUSY", .least = 7, .most = 7, .right = true},
                  {.title = "ENERGY", .least = 8, .most = 10, .right = true, .spare = 1}};
  for (const Owner& owner : gpu.owners) {
    grid.rows.push_back({text_cell(owner.name),
                         text_cell(owner.kind),
                         text_cell(owner.tenant),
                         {.text = owner.held ? "yes" : "no"},
                         {.text = clock_time(owner.since, now)},
                         share_cell(owner.utilization, utilization_tone(owner.utilization)),
                         {.text = gibibytes(owner.memory, std::nullopt)},
                         {.text = span(owner.busy)},
                         {.text = energy(owner.energy)}});
  }
  constexpr size_t kSince = 4;
  never_cut(grid, kSince);
  return grid;
}

Grid host_grid(std::span<const HostState> hosts, SteadyTime now) {
  Grid grid;
  grid.columns = {{.title = "HOST", .least = 10, .most = 40},
                  {.title = "GPUS", .least = 4, .most = 6, .right = true},
                  {.title = "UTIL", .least = 5, .most = 24, .right = true, .fills = true},
                  {.title = "POWER", .least = 7, .most = 8, .right = true},
                  {.title = "ALERTS", .least = 6, .most = 6, .right = true},
                  {.title = "ENGINES", .least = 7, .most = 7, .right = true, .spare = 1},
                  {.title = "AGE", .least = 6, .most = 7, .right = true},
                  {.title = "", .least = 8, .most = 200}};
  for (const HostState& host : hosts) grid.rows.push_back(host_cells(host, now));
  return grid;
}

std::optional<double> total(const Node& node, std::string_view metric) {
  std::optional<double> sum;
  for (const Gpu& gpu : node.gpus) {
    const auto value = gpu.value(metric);
    if (value && !gpu.mig) sum = sum.value_or(0) + *value;
  }
  return sum;
}

std::optional<double> mean_utilization(const Node& node) {
  if (const auto told = find_value(node.values, "host.gpu.utilization.avg")) return told;
  double sum = 0;
  size_t known = 0;
  for (const Gpu& gpu : node.gpus) {
    const auto usage = gpu.usage();
    if (!usage || gpu.mig) continue;
    sum += *usage;
    ++known;
  }
  return known > 0 ? std::optional(sum / static_cast<double>(known)) : std::nullopt;
}

}  // namespace warpsight::top

#include "top/rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

namespace warpsight::top {
namespace {

constexpr std::array kGpuSorts = {SortBy::order, SortBy::utilization, SortBy::memory,
                                  SortBy::power, SortBy::temperature, SortBy::owner};
constexpr std::array kProcessSorts = {SortBy::memory, SortBy::utilization, SortBy::owner,
                                      SortBy::gpu,    SortBy::pid,         SortBy::name};
constexpr std::array kEngineSorts = {SortBy::order,      SortBy::name,  SortBy::latency,
                                     SortBy::throughput, SortBy::queue, SortBy::cache};
constexpr std::array kEventSorts = {SortBy::order};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// What a row is sorted by: a number, of which the largest come first, or a text.
struct SortKey {
  std::optional<double> number;
  std::string text;

  bool absent() const { return !number && text.empty(); }
};

bool before(const SortKey& a, const SortKey& b, bool reversed) {
  if (a.absent() || b.absent()) return !a.absent() && b.absent();
  if (a.number && b.number) return reversed ? *a.number < *b.number : *a.number > *b.number;
  return reversed ? a.text > b.text : a.text < b.text;
}

template <typename Row>
void sort_rows(std::vector<Row>& rows, Order order, const std::function<SortKey(const Row&)>& key) {
  if (order.by == SortBy::order) {
    if (order.reversed) std::ranges::reverse(rows);
    return;
  }
  std::vector<std::pair<SortKey, Row>> keyed;
  keyed.reserve(rows.size());
  for (Row& row : rows) {
    SortKey sort_key = key(row);
    keyed.emplace_back(std::move(sort_key), std::move(row));
  }
  std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) {
    return before(a.first, b.first, order.reversed);
  });
  rows.clear();
  for (auto& [sort_key, row] : keyed) rows.push_back(std::move(row));
}

bool holds(std::string_view text, std::string_view filter) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return !std::ranges::search(text, filter, same).empty();
}

bool any_holds(std::initializer_list<std::string_view> texts, std::string_view filter) {
  return filter.empty() ||
         std::ranges::any_of(texts, [&](std::string_view text) { return holds(text, filter); });
}

bool any_holds(const Texts& texts, std::string_view filter) {
  return std::ranges::any_of(texts, [&](const auto& entry) { return holds(entry.second, filter); });
}

bool shows(const Gpu& gpu, std::string_view filter) {
  if (any_holds({gpu.id, gpu.index, gpu.model}, filter)) return true;
  return std::ranges::any_of(
             gpu.owners,
             [&](const Owner& owner) { return any_holds({owner.name, owner.tenant}, filter); }) ||
         std::ranges::any_of(gpu.processes, [&](const Process& process) {
           return any_holds({process.name, process.pid, process.owner}, filter);
         });
}

SortKey gpu_key(const Gpu& gpu, SortBy by) {
  switch (by) {
    case SortBy::utilization: return {gpu.usage(), {}};
    case SortBy::memory: return {gpu.memory_share(), {}};
    case SortBy::power: return {gpu.value("gpu.power.draw"), {}};
    case SortBy::temperature: return {gpu.value("gpu.temperature"), {}};
    default: return {std::nullopt, owners_of(gpu)};
  }
}

// Small ones come first.
std::optional<double> rising(const std::string& digits) {
  int64_t number = 0;
  const char* const end = digits.c_str() + digits.size();
  if (std::from_chars(digits.c_str(), end, number).ptr != end || digits.empty()) {
    return std::nullopt;
  }
  return -static_cast<double>(number);
}

SortKey process_key(const Node& node, const ProcessRow& row, SortBy by) {
  switch (by) {
    case SortBy::memory: return {row.process->memory, {}};
    case SortBy::utilization: return {row.process->utilization, {}};
    case SortBy::owner: return {std::nullopt, row.process->owner};
    case SortBy::gpu: return {-static_cast<double>(row.gpu - node.gpus.data()), {}};
    case SortBy::pid: return {rising(row.process->pid), {}};
    default: return {std::nullopt, row.process->name};
  }
}

SortKey engine_key(const EngineRow& row, SortBy by) {
  if (by == SortBy::name) return {std::nullopt, row.engine->name + row.engine->id};
  if (row.model == nullptr) return {};
  switch (by) {
    case SortBy::latency: return {row.model->quantile("ttft", "0.95"), {}};
    case SortBy::throughput: return {row.model->value("llm.generation.throughput"), {}};
    case SortBy::queue: return {row.model->value("llm.requests.waiting"), {}};
    default: return {row.model->value("llm.kv_cache.usage"), {}};
  }
}

}  // namespace

std::span<const SortBy> sorts_of(Pane pane) {
  switch (pane) {
    case Pane::gpus: return kGpuSorts;
    case Pane::processes: return kProcessSorts;
    case Pane::engines: return kEngineSorts;
    case Pane::events: return kEventSorts;
  }
  return {};
}

std::string_view to_string(SortBy sort) {
  constexpr std::array<std::string_view, 13> kNames = {
      "order", "utilisation", "memory", "power", "temperature", "owner",   "pid",
      "gpu",   "name",        "TTFT",   "queue", "tokens/s",    "KV cache"};
  return kNames[static_cast<size_t>(sort)];
}

std::vector<GpuRow> gpu_rows(const Node& node, Order order, std::string_view filter) {
  std::vector<GpuRow> parents;
  std::multimap<std::string_view, GpuRow> parts;
  for (const Gpu& gpu : node.gpus) {
    const bool part = gpu.mig && node.gpu(gpu.parent) != nullptr;
    if (!part) parents.push_back({gpu.id, &gpu});
    if (part && shows(gpu, filter)) parts.emplace(gpu.parent, GpuRow{gpu.id, &gpu});
  }
  std::erase_if(parents, [&](const GpuRow& row) {
    return !shows(*row.gpu, filter) && !parts.contains(row.key);
  });

  const auto own_key = [&](const GpuRow& row) { return gpu_key(*row.gpu, order.by); };
  const auto parts_of = [&](const GpuRow& parent) {
    std::vector<GpuRow> out;
    const auto [first, last] = parts.equal_range(parent.key);
    for (auto part = first; part != last; ++part) out.push_back(part->second);
    sort_rows<GpuRow>(out, order, own_key);
    return out;
  };
  // A divided GPU has no utilisation of its own: its first instance stands for it.
  sort_rows<GpuRow>(parents, order, [&](const GpuRow& row) {
    SortKey key = own_key(row);
    if (!key.absent()) return key;
    const std::vector<GpuRow> own_parts = parts_of(row);
    return own_parts.empty() ? key : own_key(own_parts.front());
  });

  std::vector<GpuRow> out;
  for (const GpuRow& parent : parents) {
    out.push_back(parent);
    for (GpuRow& part : parts_of(parent)) out.push_back(std::move(part));
  }
  return out;
}

std::vector<ProcessRow> process_rows(const Node& node, Order order, std::string_view filter) {
  std::vector<ProcessRow> out;
  for (const Gpu& gpu : node.gpus) {
    for (const Process& process : gpu.processes) {
      if (any_holds({process.name, process.owner, process.pid, gpu.id}, filter)) {
        out.push_back({gpu.id + " " + process.pid, &gpu, &process});
      }
    }
  }
  sort_rows<ProcessRow>(out, order,
                        [&](const ProcessRow& row) { return process_key(node, row, order.by); });
  return out;
}

std::vector<EngineRow> engine_rows(const Node& node, Order order, std::string_view filter) {
  std::vector<EngineRow> out;
  for (const Engine& engine : node.engines) {
    if (engine.models.empty() && any_holds({engine.id, engine.name, engine.error}, filter)) {
      out.push_back({engine.id, &engine, nullptr});
    }
    for (const ServedModel& model : engine.models) {
      if (any_holds({engine.id, engine.name, model.name}, filter)) {
        out.push_back({engine.id + " " + model.name, &engine, &model});
      }
    }
  }
  sort_rows<EngineRow>(out, order, [&](const EngineRow& row) { return engine_key(row, order.by); });
  return out;
}

std::vector<EventRow> event_rows(const Node& node, std::string_view filter) {
  std::vector<EventRow> out;
  for (const NodeAlert& alert : node.alerts) {
    if (any_holds({alert.name, alert.summary, alert.state, alert.severity}, filter) ||
        any_holds(alert.attributes, filter)) {
      out.push_back({alert.id, &alert, nullptr});
    }
  }
  for (const NodeEvent& event : node.events) {
    if (any_holds({event.name, event.message, event.severity}, filter) ||
        any_holds(event.attributes, filter)) {
      out.push_back({std::to_string(event.time.value_or(0)) + event.message, nullptr, &event});
    }
  }
  return out;
}

std::string owners_of(const Gpu& gpu) {
  std::string out;
  for (const bool held : {true, false}) {
    for (const Owner& owner : gpu.owners) {
      if (owner.held == held) out += (out.empty() ? "" : ", ") + owner.name;
    }
  }
  return out;
}

}  // namespace warpsight::top

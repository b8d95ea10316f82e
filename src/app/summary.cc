#include "app/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "sources/table.h"

namespace warpsight {
namespace {

std::string first_info(Pipeline& pipeline, std::string_view key) {
  std::string value;
  pipeline.registry().read([&](const Snapshot& snapshot) {
    for (const Sample& sample : snapshot.samples) {
      const Series* series = snapshot.series_of(sample);
      if (series == nullptr || series->metric != Metric::gpu_info) continue;
      value = pipeline.entities().attribute(series->entity, key);
      if (!value.empty()) return;
    }
  });
  return value;
}

std::vector<SummaryLine> gpus(Pipeline& pipeline) {
  std::map<std::string, int> models;
  int mig = 0;
  pipeline.entities().for_each(EntityKind::gpu, [&](EntityId, const Entity& gpu) {
    for (const Attribute& a : gpu.attributes) {
      if (a.key == "gpu.model") ++models[a.value];
    }
  });
  pipeline.entities().for_each(EntityKind::mig, [&](EntityId, const Entity&) { ++mig; });

  std::vector<SummaryLine> lines;
  lines.reserve(models.size());
  const std::string driver = first_info(pipeline, "gpu.driver.version");
  for (const auto& [model, count] : models) {
    lines.push_back(
        {true, fmt::format("{}{} × {}{}{}", pipeline.simulate().empty() ? "" : "SIMULATED ", count,
                           model, driver.empty() ? "" : ", driver " + driver,
                           mig > 0 ? fmt::format(", {} MIG instances", mig) : "")});
  }
  return lines;
}

// One line for each engine that is scraped.
std::vector<SummaryLine> engines(Pipeline& pipeline) {
  std::vector<SummaryLine> lines;
  const EntityTable& entities = pipeline.entities();
  pipeline.registry().read([&](const Snapshot& snapshot) {
    for (const Sample& sample : snapshot.samples) {
      const Series* series = snapshot.series_of(sample);
      if (series == nullptr || series->metric != Metric::llm_up) continue;
      const std::string why = entities.attribute(series->entity, "error.type");
      lines.push_back(
          {sample.value != 0,
           fmt::format("engine {} at {}{}", entities.attribute(series->entity, "llm.engine"),
                       entities.attribute(series->entity, "server.address"),
                       why.empty() ? "" : ": cannot be scraped (" + why + ")")});
    }
  });
  return lines;
}

}  // namespace

std::vector<SummaryLine> summarize(Pipeline& pipeline) {
  std::vector<SummaryLine> lines = gpus(pipeline);
  if (lines.empty()) lines.push_back({false, "no GPU found; `warpsight doctor` says why"});
  std::ranges::move(engines(pipeline), std::back_inserter(lines));
  for (const SourceDef& def : source_table()) {
    for (const auto& lane : pipeline.lanes()) {
      const LaneStatus status = lane->status();
      if (status.source.substr(0, status.source.find('/')) != def.name) continue;
      lines.push_back({status.up, fmt::format("{}: {}", status.source,
                                              status.up ? def.summary : status.last_error)});
    }
  }
  return lines;
}

}  // namespace warpsight

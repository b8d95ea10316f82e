#include "sinks/prometheus/labels.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "sinks/prometheus/page_format.h"
#include "wire/prometheus_name.h"

namespace warpsight {
namespace {

struct Candidate {
  std::string key;
  Label label;
};

}  // namespace

std::vector<Label> labels_of(const EntityTable& entities, EntityId entity, const MetricRow& row) {
  std::vector<Candidate> candidates;
  const auto add = [&](std::string_view key, std::string_view value) {
    std::string name = prometheus_label(key);
    const auto known = std::ranges::find(
        candidates, name, [](const Candidate& c) -> const std::string& { return c.label.name; });
    if (known == candidates.end()) {
      candidates.push_back({std::string(key), {std::move(name), std::string(value)}});
    } else if (known->key == key) {
      known->label.value = value;
    } else {
      known->label.value.append(";").append(value);
    }
  };
  entities.for_each_attribute(entity, add);
  for_each_constant_attribute(row, add);

  std::vector<Label> labels;
  labels.reserve(candidates.size());
  for (Candidate& candidate : candidates) {
    if (!candidate.label.value.empty()) labels.push_back(std::move(candidate.label));
  }
  return labels;
}

void append_labels(std::string& out, const EntityTable& entities, EntityId entity,
                   const MetricRow& row) {
  const std::vector<Label> labels = labels_of(entities, entity, row);
  if (labels.empty()) return;
  out += '{';
  for (const Label& label : labels) append_label(out, label.name, label.value);
  out += '}';
}

}  // namespace warpsight

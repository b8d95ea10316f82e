#include "sinks/prometheus/labels.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/attributes.h"
#include "sinks/prometheus/page_format.h"
#include "wire/prometheus_name.h"

namespace warpsight {

std::vector<Label> labels_of(const EntityTable& entities, EntityId entity, const MetricRow& row) {
  std::vector<Label> labels;
  for (const Attribute& a : attributes_of(entities, entity, &row)) {
    if (a.value.empty()) continue;
    std::string name = prometheus_label(a.key);
    // Keys that become one name share it.
    if (const auto known = std::ranges::find(labels, name, &Label::name); known != labels.end()) {
      known->value.append(";").append(a.value);
    } else {
      labels.push_back({std::move(name), a.value});
    }
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

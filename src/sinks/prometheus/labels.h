// The labels of a series: its entity's attributes, parents' first, then the metric's constant ones.
#pragma once

#include <string>
#include <vector>

#include "core/catalogue.h"
#include "core/entity.h"

namespace warpsight {

struct Label {
  std::string name;
  std::string value;
};

// An attribute that a thing shares with its parent is the thing's own; different attributes whose
// names become one label are joined by ';', as OpenTelemetry says. Empty values are left out: to
// Prometheus they are no label.
std::vector<Label> labels_of(const EntityTable& entities, EntityId entity, const MetricRow& row);

// Appends them as "{a="1",b="2"}", or nothing where there is no label.
void append_labels(std::string& out, const EntityTable& entities, EntityId entity,
                   const MetricRow& row);

}  // namespace warpsight

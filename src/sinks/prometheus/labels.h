// The labels of a series: its entity's attributes, parents' first, then the metric's constant ones.
#pragma once

#include <string>

#include "core/catalogue.h"
#include "core/entity.h"

namespace warpsight {

// Appends "{a="1",b="2"}", or nothing where there is no label. An attribute that a thing shares
// with its parent is the thing's own; different attributes whose names become one label are joined
// by ';', as OpenTelemetry says. Empty values are left out: to Prometheus they are no label.
void append_labels(std::string& out, const EntityTable& entities, EntityId entity,
                   const MetricRow& row);

}  // namespace warpsight

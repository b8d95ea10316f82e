// The same rules for a Prometheus that scrapes the agent, or gets its remote write.
#pragma once

#include <span>
#include <string>

#include "alerts/rule.h"

namespace warpsight::alerts {

// The rule's condition; attributes become labels by OpenTelemetry's rule.
std::string promql(const Rule& rule);

// A rule file: one group, evaluated every `interval`.
std::string prometheus_rules(std::span<const Rule> rules, Duration interval);

}  // namespace warpsight::alerts

// Names for Prometheus, derived from the catalogue's by OpenTelemetry's rule.
#pragma once

#include <string>
#include <string_view>

#include "core/catalogue.h"

namespace warpsight {

struct PrometheusName {
  std::string sample;  // as on each line: gpu_busy_time_seconds_total
  std::string family;  // as OpenMetrics wants it: without _total and _info
  std::string unit;    // of OpenMetrics' UNIT line; empty unless the family ends with it
};

// Dots and the like become single underscores; the unit's words are appended unless the name has
// them already, then _ratio (gauges of unit 1), _total (counters) or _info.
PrometheusName prometheus_name(std::string_view name, std::string_view unit, MetricKind kind);

// "gpu.index" is gpu_index. What begins with a digit gets "key_" in front.
std::string prometheus_label(std::string_view key);

// Words of a UCUM unit: "By/s" is {"bytes", "second"}, "{error}/h" is {"", "hour"}. Annotations in
// braces say nothing; "1" has no words.
struct UnitWords {
  std::string main;
  std::string per;
};
UnitWords unit_words(std::string_view unit);

}  // namespace warpsight

#include "sinks/prometheus/family.h"

#include "sinks/aliases.h"
#include "wire/prometheus_name.h"

namespace warpsight {
namespace {

std::string_view classic_type(MetricKind kind) {
  switch (kind) {
    case MetricKind::counter: return "counter";
    case MetricKind::histogram: return "histogram";
    case MetricKind::gauge:
    case MetricKind::up_down_counter:
    case MetricKind::info: break;
  }
  return "gauge";
}

std::string_view open_type(MetricKind kind) {
  return kind == MetricKind::info ? "info" : classic_type(kind);
}

PageFamily named(const MetricRow& row, std::string_view name, std::string_view unit) {
  const PrometheusName names = prometheus_name(name, unit, row.kind);
  PageFamily family;
  family.sample_name = names.sample;
  if (row.kind == MetricKind::counter || row.kind == MetricKind::histogram) {
    family.created_name = names.family + "_created";
  }
  append_header(family.headers[0], {names.sample, classic_type(row.kind), {}, row.meaning},
                PageFormat::classic);
  append_header(family.headers[1], {names.family, open_type(row.kind), names.unit, row.meaning},
                PageFormat::open_metrics);
  return family;
}

}  // namespace

PageFamily make_family(const MetricRow& row, bool with_aliases) {
  PageFamily family = named(row, row.name, row.unit);
  if (!with_aliases || row.kind == MetricKind::histogram) return family;
  for (const Alias& alias : aliases_of(row)) {
    // A rescaled alias has its unit in its name.
    PageFamily other = named(row, alias.name, alias.scale == 1 ? row.unit : "");
    if (other.sample_name == family.sample_name) continue;
    other.scale = alias.scale;
    if (!alias.facet_key.empty()) {
      append_label(other.only_label, prometheus_label(alias.facet_key), alias.facet_value);
    }
    family.aliases.push_back(std::move(other));
  }
  return family;
}

}  // namespace warpsight

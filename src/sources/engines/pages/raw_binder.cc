#include "sources/engines/pages/raw_binder.h"

#include "sources/engines/pages/histogram_assembly.h"

namespace warpsight::engines {

void RawBinder::bind(SeriesId id, const SeriesText& series, EntityId subject, Bindings& out) {
  const auto meaning = names_.meaning(id, series.name());
  if (!meaning) return;
  const bool bucket = meaning->part == Part::bucket;
  const auto bound = bucket ? bound_of(series) : 0;
  if (!bound) return;

  const std::string_view left_out =
      meaning->kind == MetricKind::histogram ? kBoundLabel : std::string_view();
  labels_.clear();
  for (const auto& [label, value] : series.labels()) {
    if (label != left_out) labels_.push_back({label, value});
  }
  const EntityId entity =
      labels_.empty() ? subject : entities_.intern(EntityKind::facet, subject, labels_);
  if (!entity) return;
  const uint32_t slot = out.slot(
      {.metric = meaning->metric, .entity = entity, .kind = meaning->kind, .across = Across::max});
  if (slot == kNone) return;
  out.add({.series = id,
           .slot = slot,
           .group = series.identity(left_out),
           .rule = out.rule(this, nullptr, 1),
           .candidate = 0,
           .part = meaning->part,
           .number = *bound});
}

}  // namespace warpsight::engines

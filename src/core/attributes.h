// What a series or an event says of itself, put together from where its parts are kept.
#pragma once

#include <span>
#include <vector>

#include "core/catalogue.h"
#include "core/entity.h"

namespace warpsight {

// Of the entity and its parents, of the owner where a metric of that kind shows one, those constant
// for the metric, and `more`; a later one replaces an earlier one of the same key. `row` may be
// nullptr, then no owner is shown. Private ones are left out.
std::vector<Attribute> attributes_of(const EntityTable& entities, EntityId entity,
                                     const MetricRow* row, std::span<const Attribute> more = {});

// Whether series of that kind show what their entity wears.
bool shows(MetricKind kind, const Worn& worn);

}  // namespace warpsight

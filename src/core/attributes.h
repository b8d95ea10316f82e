// What a series or an event says of itself, put together from where its parts are kept.
#pragma once

#include <span>
#include <vector>

#include "core/catalogue.h"
#include "core/entity.h"

namespace warpsight {

// Of the entity and its parents, those constant for the metric, and `more`; a later one replaces
// an earlier one of the same key. `row` may be nullptr. Private ones are left out.
std::vector<Attribute> attributes_of(const EntityTable& entities, EntityId entity,
                                     const MetricRow* row, std::span<const Attribute> more = {});

}  // namespace warpsight

// Names of metrics that somebody typed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/catalogue.h"
#include "core/result.h"

namespace warpsight {

// The metric of that name; the error suggests the nearest.
Result<Metric> known_metric(std::string_view name);

// The first name that no metric of this agent has. The history may hold more than the agent knows
// now, so it is a mistake only where nothing was found.
std::optional<Error> unknown_metric(std::span<const std::string> names);

}  // namespace warpsight

// The OTEL_ variables that every OpenTelemetry exporter heeds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/entity.h"
#include "core/result.h"
#include "runtime/options.h"

namespace warpsight {

// The variable's value, or nothing where it is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const char*)>;

// Fills those of the OTLP sink's options that the config did not give. A variable for metrics wins
// over the one for all signals, and an empty one is as good as none. A variable with an endpoint
// enables the sink unless OTEL_SDK_DISABLED or OTEL_METRICS_EXPORTER says otherwise. The error
// names the variable and quotes no header.
Result<> apply_otel_environment(Options& options, const EnvironmentLookup& lookup);

// OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME. A list that cannot be read is left out as a
// whole, with a warning in the log.
std::vector<Attribute> resource_from_environment(const EnvironmentLookup& lookup);

}  // namespace warpsight

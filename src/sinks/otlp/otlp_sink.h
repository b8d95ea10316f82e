// Metrics and events to an OpenTelemetry Collector, or whatever else speaks OTLP.
#pragma once

#include <memory>
#include <span>

#include "runtime/sink.h"
#include "sinks/otlp/transport.h"

namespace warpsight {

std::span<const OptionDef> otlp_sink_options();

Result<std::unique_ptr<Sink>> make_otlp_sink(const SinkContext& context);
// With clients from elsewhere, for tests.
Result<std::unique_ptr<Sink>> make_otlp_sink(const SinkContext& context,
                                             const otlp::ClientFactory& factory);

}  // namespace warpsight

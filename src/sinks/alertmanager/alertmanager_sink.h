// Sends alerts to a Prometheus Alertmanager (version 2 of its interface).
#pragma once

#include <memory>
#include <span>

#include "net/http_client.h"
#include "runtime/sink.h"

namespace warpsight {

std::span<const OptionDef> alertmanager_sink_options();

Result<std::unique_ptr<Sink>> make_alertmanager_sink(const SinkContext& context);

// For tests: over another client.
std::unique_ptr<Sink> make_alertmanager_sink(const SinkContext& context,
                                             std::unique_ptr<HttpClient> client);

}  // namespace warpsight

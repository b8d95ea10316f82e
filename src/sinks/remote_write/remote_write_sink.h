// Sends every publish to a receiver of Prometheus remote write.
#pragma once

#include <memory>
#include <span>

#include "net/http_client.h"
#include "runtime/sink.h"

namespace warpsight {

std::span<const OptionDef> remote_write_sink_options();

Result<std::unique_ptr<Sink>> make_remote_write_sink(const SinkContext& context);

// For tests: over another client.
Result<std::unique_ptr<Sink>> make_remote_write_sink(const SinkContext& context,
                                                     std::unique_ptr<HttpClient> client);

}  // namespace warpsight

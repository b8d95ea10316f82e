// Posts every publish as JSON to a URL.
#pragma once

#include <memory>
#include <span>

#include "net/http_client.h"
#include "runtime/sink.h"

namespace warpsight {

std::span<const OptionDef> webhook_sink_options();

Result<std::unique_ptr<Sink>> make_webhook_sink(const SinkContext& context);

// For tests: over another client.
std::unique_ptr<Sink> make_webhook_sink(const SinkContext& context,
                                        std::unique_ptr<HttpClient> client);

}  // namespace warpsight

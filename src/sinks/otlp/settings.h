// The OTLP sink's options, and what they come to.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/clock.h"
#include "core/result.h"
#include "net/http_client.h"
#include "runtime/options.h"
#include "sinks/otlp/endpoint.h"
#include "wire/compression.h"
#include "wire/otlp/metric_frame.h"

namespace warpsight::otlp {

std::span<const OptionDef> options_table();

enum class Protocol : uint8_t { grpc, http_protobuf, http_json };

struct Settings {
  Protocol protocol{};
  Compression compression{};
  MetricsForm form;
  bool logs = true;
  Duration interval{};  // the least time between metrics; zero: every publish
  HttpClientSettings peer;
  // Of HTTP.
  std::string metrics_url;
  std::string logs_url;
  // Of gRPC.
  GrpcTarget metrics_target;
  GrpcTarget logs_target;
};

Result<Settings> settings_of(const Options& options);

}  // namespace warpsight::otlp

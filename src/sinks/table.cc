#include "sinks/table.h"

#include <algorithm>
#include <array>

#include "sinks/alertmanager/alertmanager_sink.h"
#include "sinks/file/file_sink.h"
#include "sinks/otlp/otlp_sink.h"
#include "sinks/prometheus/page.h"
#include "sinks/remote_write/remote_write_sink.h"
#include "sinks/stdout/stdout_sink.h"
#include "sinks/webhook/webhook_sink.h"

namespace warpsight {

std::span<const SinkDef> sink_table() {
  static const std::array<SinkDef, 6> kTable = {{
      {"stdout", "JSON lines on standard output", stdout_sink_options(), make_stdout_sink},
      {"file", "JSON lines in a rotated file", file_sink_options(), make_file_sink},
      {"otlp", "OpenTelemetry, over gRPC or HTTP", otlp_sink_options(), make_otlp_sink, true},
      {"remote_write", "Prometheus remote write", remote_write_sink_options(),
       make_remote_write_sink, true},
      {"webhook", "JSON posted to a URL", webhook_sink_options(), make_webhook_sink, true},
      {"alertmanager", "alerts, to a Prometheus Alertmanager", alertmanager_sink_options(),
       make_alertmanager_sink, false, true},
  }};
  return kTable;
}

const SinkDef* find_sink(std::string_view name) {
  const auto found = std::ranges::find(sink_table(), name, &SinkDef::name);
  return found == sink_table().end() ? nullptr : &*found;
}

const PageDef& prometheus_page() {
  static const PageDef kPage = {"prometheus", "the page at /metrics", prometheus_page_options()};
  return kPage;
}

}  // namespace warpsight

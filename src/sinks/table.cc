#include "sinks/table.h"

#include <array>

#include "sinks/file/file_sink.h"
#include "sinks/prometheus/page.h"
#include "sinks/stdout/stdout_sink.h"

namespace warpsight {

std::span<const SinkDef> sink_table() {
  static const std::array<SinkDef, 2> kTable = {{
      {"stdout", "JSON lines on standard output", stdout_sink_options(), make_stdout_sink},
      {"file", "JSON lines in a rotated file", file_sink_options(), make_file_sink},
  }};
  return kTable;
}

const PageDef& prometheus_page() {
  static const PageDef kPage = {"prometheus", "the page at /metrics", prometheus_page_options()};
  return kPage;
}

}  // namespace warpsight

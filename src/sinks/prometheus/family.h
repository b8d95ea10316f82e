// What a metric looks like on the page: its names and header lines, made once.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.h"
#include "sinks/prometheus/page_format.h"

namespace warpsight {

struct PageFamily {
  std::string sample_name;
  std::string created_name;            // of OpenMetrics' start times; only what counts has one
  std::array<std::string, 2> headers;  // by PageFormat
  // Of an alias: only series whose labels have this text; the value times `scale`.
  std::string only_label;
  double scale = 1;
  std::vector<PageFamily> aliases;

  std::string_view header(PageFormat format) const { return headers[static_cast<size_t>(format)]; }
};

// Aliases that Prometheus would call the same as the metric itself are left out. Histograms have
// none.
PageFamily make_family(const MetricRow& row, bool with_aliases);

}  // namespace warpsight

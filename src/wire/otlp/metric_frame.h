// What does not change about one metric: its head, the kind of its points, its temporality.
#pragma once

#include <cstdint>
#include <string>

#include "core/catalogue.h"

namespace warpsight::otlp {

struct MetricsForm {
  bool delta = false;        // counters and histograms since the point before
  bool exponential = false;  // histograms with base-2 exponential buckets
};

enum class PointForm : uint8_t { gauge, sum, histogram, exponential };

struct MetricFrame {
  std::string head;  // name, description, unit
  std::string tail;  // temporality and monotonicity, after the points
  PointForm form{};
  bool delta = false;
  char data = 0;        // tag of the gauge, sum or histogram in the metric
  char attributes = 0;  // tags in a point
  char flags = 0;
};

MetricFrame make_frame(const MetricRow& row, MetricsForm form);

}  // namespace warpsight::otlp

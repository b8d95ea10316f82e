// The Prometheus page: the last snapshot as text.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/entity.h"
#include "core/registry.h"
#include "runtime/options.h"
#include "sinks/prometheus/bucket_lines.h"
#include "sinks/prometheus/dcgm_lines.h"
#include "sinks/prometheus/family.h"
#include "sinks/prometheus/page_format.h"

namespace warpsight {

std::span<const OptionDef> prometheus_page_options();

// Keeps for each series the text before its value, so that a page costs a copy and a number a
// series and, while no series is born, no allocation. Not thread-safe.
class PrometheusPage {
 public:
  // The resource is stated once, as target_info. `options` are those of the table above.
  PrometheusPage(const EntityTable& entities, std::span<const Attribute> resource,
                 const Options& options);

  // Replaces `out` by the whole page. Call inside Registry::read.
  void render(const Snapshot& snapshot, PageFormat format, std::string& out);

 private:
  struct Line {
    uint32_t birth = 0;
    uint32_t name_size = 0;                // the labels follow the name
    std::string prefix;                    // name{labels} and a blank
    std::unique_ptr<BucketLines> buckets;  // of a histogram

    std::string_view labels() const { return std::string_view(prefix).substr(name_size); }
  };

  const PageFamily& family_of(Metric metric);
  Line& line_of(const Sample& sample, const Series& series, const PageFamily& family);
  void append_value(std::string& out, double value, Time time, PageFormat format) const;
  // Samples [first, last) are of one metric.
  void append_family(const Snapshot& snapshot, size_t first, size_t last, Metric metric,
                     PageFormat format, std::string& out);
  void append_histogram(const Histogram& histogram, const Sample& sample, const PageFamily& family,
                        Line& line, PageFormat format, std::string& out) const;
  void append_created(const Series& series, const Sample& sample, const PageFamily& family,
                      const Line& line, std::string& out) const;
  void append_alias(const Snapshot& snapshot, size_t first, size_t last, const PageFamily& alias,
                    PageFormat format, std::string& out) const;

  const EntityTable& entities_;
  std::array<std::string, 2> heads_;  // by PageFormat: what precedes the first family
  bool aliases_;
  bool timestamps_;
  bool created_;
  std::optional<DcgmLines> dcgm_;
  std::vector<std::unique_ptr<PageFamily>> families_;  // by metric, made when first seen
  std::vector<Line> lines_;                            // by slot
};

}  // namespace warpsight

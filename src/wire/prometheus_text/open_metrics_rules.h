// What OpenMetrics 1.0 asks of a page, line by line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "wire/prometheus_text/histogram_rules.h"
#include "wire/prometheus_text/strict.h"
#include "wire/prometheus_text/strict_sample.h"

namespace warpsight::prometheus_text {

class OpenMetricsRules {
 public:
  std::optional<Violation> line(std::string_view line, uint64_t number);
  std::optional<Violation> finish(uint64_t number, bool newline);

 private:
  // The family whose lines are being read.
  struct Family {
    std::string name;  // empty: none is
    uint64_t line = 0;
    FamilyType type = FamilyType::unknown;
    std::optional<std::string> unit;
    bool typed = false;
    bool helped = false;
    bool sampled = false;
    std::unordered_set<std::string> metrics;  // keys of label sets that have had samples
  };

  // The metric whose samples are being read: one set of labels of the family.
  struct Metric {
    bool open = false;  // there is one
    std::string key;
    uint64_t line = 0;
    std::optional<double> timestamp;
    std::unordered_set<std::string> series;
    bool has_total = false;
  };

  Reason metadata(std::string_view line, uint64_t number);
  Reason describe_family(std::string_view keyword, std::string_view text);
  Reason sample(std::string_view line, uint64_t number);
  Reason check_labels(const StrictSample& sample, std::string_view suffix) const;
  Reason check_value(const StrictSample& sample, std::string_view suffix) const;
  Reason check_exemplar(const StrictSample& sample, std::string_view suffix) const;
  Reason check_order(const StrictSample& sample, std::string_view suffix);
  Reason check_histogram(const StrictSample& sample, std::string_view suffix, bool begins);
  std::string_view own_label(std::string_view suffix) const;
  bool belongs(std::string_view name) const;
  Reason open_family(std::string name, uint64_t number);
  Reason close_metric();
  Reason close_family();

  Family family_;
  Metric metric_;
  HistogramRules histogram_;
  std::unordered_set<std::string> taken_;  // names that families before this one may use
  bool eof_ = false;
  uint64_t blamed_ = 0;  // the line at fault when it is not the one being read
};

}  // namespace warpsight::prometheus_text

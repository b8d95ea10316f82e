// Parts of a metrics request as requests of their own, for a peer that will not take all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight::otlp {

class MetricsSlices {
 public:
  // Of a request with one resource and one scope, as the encoder here makes them, and nullopt for
  // any other. `request` must outlive it.
  static std::optional<MetricsSlices> of(std::string_view request);

  size_t points() const { return points_.size(); }

  // A request with points `first` up to `last`, which are at least one. A metric whose points are
  // on both sides of a border is in both requests.
  std::string slice(size_t first, size_t last) const;

 private:
  struct Metric {
    std::string_view head;  // all but the data, in one piece
    char data = 0;          // tag of the data
    std::string tail;       // all of the data but its points
  };
  struct Point {
    size_t metric;
    std::string_view whole;
  };

  bool add_metric(std::string_view metric);

  std::string resource_;  // all but the scope's metrics
  std::string scope_;     // all but the metrics
  std::vector<Metric> metrics_;
  std::vector<Point> points_;
};

}  // namespace warpsight::otlp

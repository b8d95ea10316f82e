#include "ui/api/metric_names.h"

#include <fmt/format.h>

#include <vector>

#include "core/nearest.h"
#include "ui/api/parameters.h"

namespace warpsight {

Result<Metric> known_metric(std::string_view name) {
  if (const auto metric = find_metric(name)) return *metric;
  std::vector<std::string_view> names;
  names.reserve(metric_count());
  for (size_t i = 0; i < metric_count(); ++i) names.push_back(row(static_cast<Metric>(i)).name);
  const std::string_view meant = nearest(name, names);
  return fail(fmt::format("there is no metric {}", quoted(name)),
              meant.empty()
                  ? "/api/v1/latest lists those there are, docs/metrics.md all that may be"
                  : fmt::format("did you mean {}?", meant));
}

std::optional<Error> unknown_metric(std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (auto metric = known_metric(name); !metric) return std::move(metric).error();
  }
  return std::nullopt;
}

}  // namespace warpsight

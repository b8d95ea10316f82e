#include "ui/api/latest_request.h"

#include "ui/api/metric_names.h"

namespace warpsight {
namespace {

constexpr ParameterRule<LatestFilter> kRules[] = {
    {"metric", true,
     [](LatestFilter& filter, std::string_view value) {
       return known_metric(value).map([&](Metric metric) { filter.metrics.push_back(metric); });
     }},
    {"match", true,
     [](LatestFilter& filter, std::string_view value) {
       return take_matcher(filter.matchers, value);
     }},
};

}  // namespace

Result<LatestFilter> parse_latest_request(const Parameters& parameters) {
  LatestFilter filter;
  if (auto taken = take_parameters(parameters, kRules, filter); !taken) {
    return tl::unexpected(std::move(taken).error());
  }
  return filter;
}

}  // namespace warpsight

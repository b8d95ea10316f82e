// The catalogue's aliases: names used elsewhere, given beside our own where a sink is asked to.
#pragma once

#include <string_view>
#include <vector>

#include "core/catalogue.h"

namespace warpsight {

struct Alias {
  std::string_view name;
  // Some aliases stand for one facet of the metric only. Empty: for all of it.
  std::string_view facet_key = {};
  std::string_view facet_value = {};
  double scale = 1;
};

// DCGM's names are left out: the page gives them with DCGM's labels and units, in `compat: dcgm`.
std::vector<Alias> aliases_of(const MetricRow& row);

}  // namespace warpsight

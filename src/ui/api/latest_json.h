// The values of the last publish, every one of them or those that match.
#pragma once

#include <string>
#include <vector>

#include "core/matcher.h"
#include "core/registry.h"

namespace warpsight {

struct LatestFilter {
  std::vector<Metric> metrics;  // none: all
  std::vector<Matcher> matchers;
};

// A copy of what was published: attributes take long to put together, and nobody should wait for
// the registry meanwhile.
struct LatestValues {
  struct Value {
    Metric metric;
    EntityId entity;
    Time time;
    double value;
  };
  Time time{};  // of the publish; zero before the first
  std::vector<Value> values;
};

LatestValues latest_values(const Registry& registry, const LatestFilter& filter);

// Values of things that have ended since are left out.
void append_latest_json(std::string& out, const LatestValues& latest, const LatestFilter& filter,
                        const EntityTable& entities);

}  // namespace warpsight

// One test message to each sink that is switched on, and what came back.
#pragma once

#include <string>
#include <vector>

#include "app/config.h"
#include "app/resource.h"
#include "core/clock.h"

namespace warpsight {

struct SinkCheck {
  std::string name;
  bool good = false;
  std::string text;       // where to, how it went, how long it took
  std::string hint = {};  // what to do about it
};

// The message holds one point, `warpsight.build`, and one event, `doctor.test`.
std::vector<SinkCheck> check_sinks(const Config& config, const Resource& resource,
                                   const Clock& clock);

}  // namespace warpsight

// An alert with what its engine must know of it besides.
#pragma once

#include <cstdint>

#include "core/alert.h"
#include "core/clock.h"
#include "core/entity.h"

namespace warpsight::alerts {

struct LiveAlert {
  uint64_t key = 0;  // the number that alert.id spells
  Alert alert;
  Time held{};            // when the condition was seen to hold last
  Time missed{};          // when it was first seen not to since; zero while it holds
  bool told = false;      // an "alert.firing" was sent
  bool restored = false;  // from before a restart, and not judged since
  bool outdated = false;  // its texts are those of the rule as it was
  EntityId entity = {};   // of the series; none until it was seen
};

// The text of a number, 16 hexadecimal digits.
std::string alert_id(uint64_t key);

}  // namespace warpsight::alerts

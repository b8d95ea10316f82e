// An alert: a rule whose condition holds for one set of attributes, from its first moment until
// some time after its last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch.h"
#include "core/clock.h"
#include "core/entity.h"

namespace warpsight {

enum class AlertState : uint8_t {
  pending,   // the condition holds, but not yet for as long as the rule wants
  firing,    // it has
  resolved,  // it fired, and holds no more; kept for a while so that everybody hears of it
};

struct Alert {
  std::string id;    // the same for the same rule and attributes, over restarts
  std::string rule;  // its name, "GpuMemoryFull"
  AlertState state = AlertState::pending;
  Severity severity = Severity::warning;
  Time since{};      // the condition holds since
  Time fired{};      // zero while pending
  Time resolved{};   // zero until then
  double value = 0;  // of the condition's first term, when it last held
  std::string unit;  // of that value
  // What tells it from other alerts of the rule, and the rule's own labels.
  std::vector<Attribute> attributes;
  std::string summary;  // one line
  std::string description;
  bool silenced = false;
  std::vector<Attribute> annotations = {};  // the rule's further ones: a runbook's address
};

// Where those who tell of alerts find them.
class AlertBook {
 public:
  virtual ~AlertBook() = default;
  // As of the last publish: firing ones first, newest first. On the thread that publishes.
  virtual const std::vector<Alert>& alerts() const = 0;
};

std::string_view to_string(AlertState state);

}  // namespace warpsight

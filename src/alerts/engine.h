// Evaluates rules at every publish, and remembers what they said.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alerts/rule.h"
#include "alerts/silences.h"
#include "core/alert.h"
#include "core/registry.h"

namespace warpsight::alerts {

struct EngineSettings {
  std::string state_file = {};  // read at first; empty: nothing is remembered over a restart
  // How long a resolved alert is still listed.
  Duration resolved_for = std::chrono::minutes{15};
  size_t max_alerts = 1000;  // more are counted, not kept
};

// An analysis: yields warpsight.alerts (by rule, severity and state), and the events "alert.firing"
// and "alert.resolved". Runs after all analyses whose metrics rules may name.
class Engine final : public Analysis, public AlertBook {
 public:
  Engine(EntityTable& entities, std::vector<Rule> rules, EngineSettings settings,
         const Clock& clock);
  ~Engine() override;

  void run(const View& view, Batch& out) override;
  const std::vector<Alert>& alerts() const override;

  const std::vector<Rule>& rules() const;
  // Alerts of rules whose names stay are kept and judged by the new rule; those of others end.
  void set_rules(std::vector<Rule> rules);

  Silences& silences();
  const Silences& silences() const;

  // Alerts that a bound cost, and series that could not be looked at for want of room.
  uint64_t dropped() const;
  // What the file must say for alerts and silences to outlive a restart, when that is not what it
  // was last told; `now` asks for the times at which conditions held too, which else may be a
  // minute old.
  std::optional<std::string> unsaved(bool now = false);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpsight::alerts

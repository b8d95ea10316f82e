// Evaluates rules at every publish, and remembers what they said.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "alerts/rule.h"
#include "alerts/silences.h"
#include "core/alert.h"
#include "core/registry.h"

namespace warpsight::alerts {

struct EngineSettings {
  std::string state_dir = {};  // empty: nothing is remembered over a restart
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
  // Writes what must outlive a restart, when it changed, and once a minute while there are alerts.
  // Called after a publish, without a lock, and with `now` when no publish will follow.
  Result<> save(bool now = false);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpsight::alerts

// Evaluates rules at every publish, and remembers what they said.
#pragma once

#include <functional>
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
  // Alerts of rules that stay as they were are kept.
  void set_rules(std::vector<Rule> rules);

  Silences& silences();
  const Silences& silences() const;

  // Alerts that a bound cost.
  uint64_t dropped() const;
  // Writes what must outlive a restart, when it changed. Called after a publish, without a lock.
  Result<> save();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpsight::alerts

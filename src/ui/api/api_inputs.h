// What the HTTP interface tells of; the agent's assembly provides it.
#pragma once

#include <memory>

#include "alerts/engine.h"
#include "core/clock.h"
#include "core/registry.h"
#include "history/history.h"
#include "identity/owners_report.h"
#include "ui/api/now_json.h"

namespace warpsight {

// Asked on the loop's thread. What it refers to outlives the server.
class ApiInputs {
 public:
  virtual ~ApiInputs() = default;

  virtual const Clock& clock() const = 0;
  virtual const Registry& registry() const = 0;
  virtual const EntityTable& entities() const = 0;
  virtual AgentBasics basics() const = 0;
  virtual identity::OwnersReport owners() const = 0;
  // Empty where nothing tells.
  virtual EngineGpus engine_gpus() const { return {}; }
  // nullptr: it is switched off. Jobs on the server's worker keep it while they ask.
  virtual std::shared_ptr<const HistoryReader> history() const = 0;
  // nullptr: there are none.
  virtual alerts::Engine* alerts() = 0;
  // Somebody has added or removed one: it is to outlive a restart from now on.
  virtual void silences_changed() = 0;
};

}  // namespace warpsight

// A node that this process reads by itself, told as a running agent would: for `warpsight top`
// where there is no agent.
#pragma once

#include <string>

#include "app/pipeline.h"
#include "top/source.h"
#include "ui/api/api_inputs.h"
#include "ui/api/engine_gpus.h"

namespace warpsight {

// Belongs to one thread from the first call of now() on.
class OwnNode final : public top::NodeSource, private ApiInputs {
 public:
  // Sinks stay off and nothing is written.
  OwnNode(Config config, std::string scenario);
  ~OwnNode() override;

  // The first call reads everything twice, since rates are differences.
  Result<std::string> now() override;

 private:
  const Clock& clock() const override { return clock_; }
  const Registry& registry() const override { return pipeline_.registry(); }
  const EntityTable& entities() const override { return pipeline_.entities(); }
  AgentBasics basics() const override;
  identity::OwnersReport owners() const override { return pipeline_.owners(); }
  EngineGpus engine_gpus() const override { return engine_gpus_of(pipeline_.registry()); }
  std::shared_ptr<const HistoryReader> history() const override { return nullptr; }
  alerts::Engine* alerts() override { return nullptr; }
  void silences_changed() override {}

  SystemClock clock_;
  SteadyTime started_;
  Time published_{};
  Duration interval_{};
  Pipeline pipeline_;
};

}  // namespace warpsight

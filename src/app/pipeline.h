// Sources, registry, analyses and sinks, put together as a config says. Knows no event loop.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alerts/engine.h"
#include "app/config.h"
#include "app/resource.h"
#include "core/clock.h"
#include "core/entity.h"
#include "core/registry.h"
#include "core/result.h"
#include "history/history_report.h"
#include "identity/identity.h"
#include "runtime/kept_file.h"
#include "runtime/lane.h"
#include "runtime/self_report.h"
#include "runtime/sink_lane.h"
#include "runtime/source.h"

namespace warpsight {

struct PipelineSetup {
  Config config;
  std::string simulate;    // scenario, or empty
  std::string executable;  // of this program: probe children run it
  bool remembers = false;  // keeps a history and evaluates alert rules, as the config says
};

class Pipeline {
 public:
  Pipeline(PipelineSetup setup, const Clock& clock);
  // Lanes that are stuck make this wait: call stop() first and end the process if it says no.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Starts every enabled source and sink. A source that cannot even be made is an error with its
  // reason; one that fails later is not.
  Result<> start();

  // Whether the source is being read: enabled, and there is something to read.
  bool runs(std::string_view source) const;

  // Starts sources whose hardware has appeared since.
  void discover();

  // Folds and hands a snapshot to the analyses and sinks.
  void publish();

  // Whether every source has finished `runs` runs.
  bool has_run(uint64_t runs) const;
  void run_now();

  // Whether every source has run, and those that tell of others' devices after all these were
  // found. The first to call it makes them.
  bool has_met_devices();

  // As of the last publish.
  identity::OwnersReport owners() const;

  // nullptr: none is kept. May be read on any thread, as long as it is held.
  std::shared_ptr<const History> history() const { return history_; }
  // Lets alerts and silences outlive a restart, where they have changed. Waits for no disk.
  void save_alerts(bool now = false);
  // nullptr: no rules are evaluated.
  alerts::Engine* alerts() { return alerts_; }
  const alerts::Engine* alerts() const { return alerts_; }

  // Replaces what the new config says differently and leaves the rest running. On an error what
  // was running before goes on.
  Result<> reconfigure(const Config& config);

  // False when something did not end in time.
  bool stop(Duration timeout);

  const Config& config() const { return setup_.config; }
  const std::string& simulate() const { return setup_.simulate; }
  Registry& registry() { return registry_; }
  const Registry& registry() const { return registry_; }
  EntityTable& entities() { return entities_; }
  const EntityTable& entities() const { return entities_; }
  const Resource& resource() const { return resource_; }
  std::span<const std::unique_ptr<Lane>> lanes() const { return lanes_; }
  std::span<const std::unique_ptr<SinkLane>> sinks() const { return sinks_; }

 private:
  SourceContext context(const Section& section, const Config& config) const;
  bool wanted(const Section& section, const Config& config) const;
  Result<std::unique_ptr<Lane>> make_lane(const Section& section, const Config& config) const;
  Result<std::unique_ptr<SinkLane>> make_sink(const Section& section, const Config& config,
                                              const Resource& resource) const;
  void watch();
  Result<> take_rules(const Config& config);
  Result<> take_scenario();
  void open_history(const Config& config);

  PipelineSetup setup_;
  const Clock& clock_;
  const Time began_;
  mutable EntityTable entities_;
  mutable Registry registry_;
  Resource resource_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<std::unique_ptr<SinkLane>> sinks_;
  // Replaced while stuck in the kernel.
  std::vector<std::unique_ptr<Lane>> abandoned_lanes_;
  std::vector<std::unique_ptr<SinkLane>> abandoned_sinks_;
  std::vector<std::shared_ptr<History>> abandoned_histories_;
  std::vector<std::unique_ptr<Analysis>> analyses_;
  std::vector<Analysis*> order_;
  Identity* identity_;
  alerts::Engine* alerts_ = nullptr;
  std::unique_ptr<KeptFile> alerts_file_;
  HistoryReport* history_report_ = nullptr;
  std::shared_ptr<History> history_;
  SelfReport* self_report_;
  std::vector<std::pair<std::string, uint64_t>> awaited_;  // sources, and their runs to come
  bool awaiting_ = false;
};

}  // namespace warpsight

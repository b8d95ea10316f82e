// The running agent: the pipeline, its clockwork, the page, signals and the service manager.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/event_loop.h"
#include "app/pipeline.h"
#include "app/summary.h"
#include "core/clock.h"
#include "platform/notify.h"
#include "sinks/prometheus/page.h"
#include "ui/agent_status.h"
#include "ui/api/api_inputs.h"
#include "ui/api/engine_gpus.h"
#include "ui/http_server.h"
#include "ui/routes.h"

namespace warpsight {

class Agent final : public StatusProvider, public ApiInputs {
 public:
  // Reads the configuration again, for SIGHUP; nothing when it has errors, which it has logged.
  using Reload = std::function<std::optional<Config>()>;

  Agent(PipelineSetup setup, const Clock& clock, Reload reload);
  ~Agent() override;

  // Runs until SIGTERM or SIGINT. Ends the process itself when something is stuck in the kernel.
  int run();

  AgentStatus status() const override;
  identity::OwnersReport owners() const override { return pipeline_.owners(); }
  Duration publish_interval() const override;

  const Clock& clock() const override { return clock_; }
  const Registry& registry() const override { return pipeline_.registry(); }
  const EntityTable& entities() const override { return pipeline_.entities(); }
  AgentBasics basics() const override;
  EngineGpus engine_gpus() const override { return engine_gpus_of(pipeline_.registry()); }
  std::shared_ptr<const HistoryReader> history() const override { return pipeline_.history(); }
  alerts::Engine* alerts() override;
  void silences_changed() override { pipeline_.save_alerts(); }

 private:
  Result<> serve();
  Result<std::unique_ptr<HttpServer>> listen(const Config& config);
  static void warn_of_exposure(const SocketAddress& address, const Config& config);
  void make_page(const Config& config);
  Result<> apply(const Config& config);
  bool is_on_own_port(const Config& config) const;
  void wait_for_first_runs();
  void publish();
  void announce();
  void reload();
  void begin_stop(int signal);
  void finish();

  const Clock& clock_;
  Reload reload_config_;
  Pipeline pipeline_;
  AgentRoutes routes_;
  EventLoop loop_;
  EventLoop::Timer* first_runs_timer_;
  EventLoop::Timer* publish_timer_;
  EventLoop::Timer* discover_timer_;
  EventLoop::Timer* watchdog_timer_;
  EventLoop::Timer* heartbeat_timer_;
  std::unique_ptr<PrometheusPage> page_;
  std::unique_ptr<HttpServer> server_;
  std::vector<std::unique_ptr<HttpServer>> abandoned_servers_;  // replaced while still answering
  Notifier notifier_;
  std::optional<Duration> watchdog_;
  SteadyTime started_;
  SteadyTime next_publish_{};
  std::vector<std::string> found_;
};

}  // namespace warpsight

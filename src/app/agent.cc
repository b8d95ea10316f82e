#include "app/agent.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "app/exit_codes.h"
#include "app/listen_security.h"
#include "app/setup.h"
#include "core/version.h"
#include "platform/sockets.h"
#include "runtime/log.h"
#include "sinks/table.h"
#include "sources/table.h"
#include "ui/api/api_routes.h"
#include "ui/api/live_message.h"
#include "ui/page_files.h"

namespace warpsight {
namespace {

// The first snapshot waits for every source to have run, but not for one that hangs.
constexpr Duration kFirstRunsPatience = std::chrono::seconds{3};
constexpr Duration kFirstRunsPoll = std::chrono::milliseconds{20};
constexpr Duration kDiscoverInterval = std::chrono::minutes{1};
// Of event streams: proxies and browsers give up on silence, the kernel notices a dead peer.
constexpr Duration kHeartbeat = std::chrono::seconds{15};
constexpr std::string_view kLivePath = "/api/v1/live";

void append(std::vector<HttpRoute>& routes, std::vector<HttpRoute> more) {
  std::ranges::move(more, std::back_inserter(routes));
}

}  // namespace

Agent::Agent(PipelineSetup setup, const Clock& clock, Reload reload)
    : clock_(clock),
      reload_config_(std::move(reload)),
      pipeline_(std::move(setup), clock),
      routes_(clock, pipeline_.registry(), pipeline_.entities(), *this, nullptr),
      first_runs_timer_(&loop_.add_timer([this] { wait_for_first_runs(); })),
      publish_timer_(&loop_.add_timer([this] { publish(); })),
      discover_timer_(&loop_.add_timer([this] {
        pipeline_.discover();
        discover_timer_->set(kDiscoverInterval);
      })),
      watchdog_timer_(&loop_.add_timer([this] {
        notifier_.watchdog();
        watchdog_timer_->set(*watchdog_ / 2);
      })),
      heartbeat_timer_(&loop_.add_timer([this] {
        if (server_) server_->broadcast(kLivePath, ": still here\n\n");
        heartbeat_timer_->set(kHeartbeat);
      })),
      notifier_(Notifier::from_environment()),
      watchdog_(watchdog_interval_from_environment()),
      started_(clock.steady()) {}

Agent::~Agent() = default;

int Agent::run() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int signal : {SIGTERM, SIGINT}) {
    loop_.on_signal(signal, [this, signal] { begin_stop(signal); });
  }
  loop_.on_signal(SIGHUP, [this] { reload(); });

  if (const auto served = serve(); !served) {
    log_error("cannot serve the page", {{"error", describe(served.error())}});
    return kExitFailure;
  }
  if (const auto started = pipeline_.start(); !started) {
    log_error("cannot start", {{"error", describe(started.error())}});
    return kExitFailure;
  }
  first_runs_timer_->set(kFirstRunsPoll);
  discover_timer_->set(kDiscoverInterval);
  heartbeat_timer_->set(kHeartbeat);
  if (watchdog_) watchdog_timer_->set(Duration::zero());
  loop_.run();
  finish();
  return kExitOk;
}

Result<> Agent::serve() {
  make_page(pipeline_.config());
  auto server = listen(pipeline_.config());
  if (!server) return tl::unexpected(server.error());
  server_ = std::move(*server);
  return {};
}

Result<std::unique_ptr<HttpServer>> Agent::listen(const Config& config) {
  const std::string& listen = config.agent.text("listen");
  if (listen.empty()) return nullptr;
  const auto address = parse_address(listen);
  if (!address) return tl::unexpected(address.error());
  if (auto safe = check_exposure(*address, config.agent); !safe) {
    return tl::unexpected(safe.error());
  }
  auto security = listen_security(config.agent, clock_);
  if (!security) return tl::unexpected(security.error());
  HttpLimits limits;
  limits.hosts.push_back(host_name(pipeline_.resource()));
  std::vector<HttpRoute> routes = page_routes();
  append(routes, routes_.table());
  append(routes, api_routes(*this));
  auto server = HttpServer::start(loop_.base(), *address, std::move(routes), std::move(limits),
                                  std::move(*security));
  if (server) warn_of_exposure(*address, config);
  return server;
}

void Agent::warn_of_exposure(const SocketAddress& address, const Config& config) {
  const auto found = exposure(address, config.agent);
  if (!found) return;
  log_warn(found->message, {{"listen", to_string(address)}, {"hint", found->hint}});
}

void Agent::make_page(const Config& config) {
  const Options& options = section_of(config.sinks, prometheus_page().name).options;
  page_ = options.flag("enabled") ? std::make_unique<PrometheusPage>(
                                        pipeline_.entities(), pipeline_.resource().full, options)
                                  : nullptr;
  routes_.set_page(page_.get());
}

void Agent::wait_for_first_runs() {
  const bool late = clock_.steady() - started_ > kFirstRunsPatience;
  if (!late && !pipeline_.has_met_devices()) {
    first_runs_timer_->set(kFirstRunsPoll);
    return;
  }
  next_publish_ = clock_.steady();
  publish();
  announce();
}

void Agent::publish() {
  pipeline_.publish();
  if (server_ && server_->streams(kLivePath) > 0) {
    server_->broadcast(kLivePath, live_message(*this));
  }
  // Kept on a grid: an interval is an interval, whatever a publish took.
  const Duration interval = publish_interval();
  const SteadyTime now = clock_.steady();
  next_publish_ += interval;
  if (next_publish_ <= now) next_publish_ = now + interval;
  publish_timer_->set(next_publish_ - now);
}

void Agent::announce() {
  for (const SummaryLine& line : summarize(pipeline_)) {
    found_.push_back(line.text);
    log(line.good ? LogLevel::info : LogLevel::warn, line.text);
  }
  if (server_) {
    const SocketAddress& address = server_->address();
    const std::string url =
        fmt::format("{}://{}", server_->has_tls() ? "https" : "http", to_string(address));
    log_info(address.kind == SocketAddress::Kind::tcp
                 ? fmt::format("page: {}/  metrics: {}/metrics", url, url)
                 : "page: " + to_string(address));
  }
  notifier_.ready(found_.empty() ? std::string_view{} : found_.front());
}

void Agent::reload() {
  notifier_.reloading();
  const auto config = reload_config_();
  if (!config) {
    log_error("the new configuration has errors; the old one stays in force");
    notifier_.ready();
    return;
  }
  if (const auto applied = apply(*config); !applied) {
    log_error("the new configuration cannot be used; the old one stays in force",
              {{"error", describe(applied.error())}});
  } else {
    log_info("configuration reloaded");
  }
  notifier_.ready();
}

Result<> Agent::apply(const Config& config) {
  const bool rebind = config.agent.text("listen") != pipeline_.config().agent.text("listen");
  std::unique_ptr<HttpServer> server;
  HttpSecurity security;
  if (rebind) {
    auto listening = listen(config);
    if (!listening && is_on_own_port(config)) {
      return fail("the agent itself still listens on that port",
                  "restart it to change the address and keep the port");
    }
    if (!listening) return tl::unexpected(listening.error());
    server = std::move(*listening);
  } else if (server_) {
    if (auto safe = check_exposure(server_->address(), config.agent); !safe) return safe;
    auto asked = listen_security(config.agent, clock_);
    if (!asked) return tl::unexpected(asked.error());
    security = std::move(*asked);
  }
  if (auto done = pipeline_.reconfigure(config); !done) return done;
  if (rebind) {
    // A reader of the history may wait for a disk: nobody waits for it.
    if (server_ && !server_->idle()) {
      server_->stop_listening();
      abandoned_servers_.push_back(std::move(server_));
    }
    server_ = std::move(server);
  } else if (server_) {
    server_->set_security(std::move(security));
    warn_of_exposure(server_->address(), config);
  }
  make_page(config);
  configure_log_from(config);
  return {};
}

bool Agent::is_on_own_port(const Config& config) const {
  const auto asked = parse_address(config.agent.text("listen"));
  return asked && server_ && asked->kind == SocketAddress::Kind::tcp &&
         server_->address().kind == SocketAddress::Kind::tcp &&
         asked->port == server_->address().port;
}

void Agent::begin_stop(int signal) {
  log_info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  notifier_.stopping();
  loop_.stop();
}

void Agent::finish() {
  // A second to spare: what waits for the kernel must not eat the whole of the promise.
  const Duration timeout = pipeline_.config().agent.duration("shutdown_timeout");
  const Duration patience = std::max<Duration>(timeout - std::chrono::seconds{1}, timeout / 2);
  if (server_) server_->stop_listening();
  pipeline_.publish();
  const bool ended = pipeline_.stop(patience);
  flush_suppressed_logs(true);
  // A reader of the history may wait for a disk: nobody waits for it.
  const auto idle = [](const auto& server) { return !server || server->idle(); };
  const bool served = idle(server_) && std::ranges::all_of(abandoned_servers_, idle);
  if (ended && served) {
    server_.reset();
    return;
  }
  if (!ended) log_warn("stopping without a thread that is stuck in the kernel");
  std::_Exit(kExitOk);
}

AgentBasics Agent::basics() const {
  return {.host = host_name(pipeline_.resource()),
          .version = kVersion,
          .scenario = pipeline_.simulate(),
          .uptime = clock_.steady() - started_,
          .interval = publish_interval()};
}

alerts::Engine* Agent::alerts() {
  return pipeline_.config().agent.flag("alerts.enabled") ? pipeline_.alerts() : nullptr;
}

AgentStatus Agent::status() const {
  AgentStatus status;
  status.version = kVersion;
  status.host = host_name(pipeline_.resource());
  status.scenario = pipeline_.simulate();
  status.uptime = clock_.steady() - started_;
  status.found = found_;
  for (const Section& section : pipeline_.config().sources) {
    const SourceDef& def = *find_source(section.type());
    SourceStatus& source = status.sources.emplace_back();
    source.name = section.name;
    source.summary = def.summary;
    source.enabled = pipeline_.runs(section.name);
    source.simulated = def.isolation == Isolation::probe && !status.scenario.empty();
    for (const auto& lane : pipeline_.lanes()) {
      if (lane->name() != section.name) continue;
      const LaneStatus now = lane->status();
      source.up = now.up;
      source.period = now.period;
      source.duration = now.duration;
      source.restarts = now.restarts;
      source.last_error = now.last_error;
      source.series = pipeline_.registry().series_count(section.name);
      for (const auto& [kind, count] : now.errors) source.errors += count;
    }
  }
  for (const auto& lane : pipeline_.sinks()) {
    const SinkLaneStatus now = lane->status();
    SinkStatus& sink = status.sinks.emplace_back();
    sink.name = now.sink;
    sink.target = now.peer;
    sink.up = now.last_error.empty();
    sink.state = to_string(now.state);
    sink.sent = now.sent;
    sink.dropped = now.dropped.total();
    sink.waiting_points = now.spool.points;
    sink.waiting_bytes = now.spool.bytes;
    if (!now.spool.empty) sink.waiting_for = clock_.now() - now.spool.oldest;
    sink.last_error = now.last_error;
    for (const auto& [kind, count] : now.failures) sink.failures += count;
  }
  if (const auto history = pipeline_.history()) status.history = history->status();
  return status;
}

Duration Agent::publish_interval() const {
  return pipeline_.config().agent.duration("publish_interval");
}

}  // namespace warpsight

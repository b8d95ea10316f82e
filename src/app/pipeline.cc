#include "app/pipeline.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/derived.h"
#include "analysis/devices.h"
#include "analysis/gen_ai_names.h"
#include "analysis/hardware_names.h"
#include "analysis/serving_windows.h"
#include "analysis/xid_ledger.h"
#include "app/memory_place.h"
#include "app/setup.h"
#include "app/simulated_owners.h"
#include "core/version.h"
#include "runtime/log.h"
#include "runtime/probe_lane.h"
#include "runtime/source_lane.h"
#include "sinks/otlp/environment.h"
#include "sinks/table.h"
#include "sources/table.h"

namespace warpsight {
namespace {

constexpr Duration kReplaceTimeout = std::chrono::seconds{2};
constexpr Duration kLastWrite = std::chrono::milliseconds{200};  // at least, when stopping
constexpr Duration kProbeStartDeadline = std::chrono::seconds{15};

CallTrace& untraced() {
  static CallTrace trace;  // sources in the agent itself make no vendor calls
  return trace;
}

Resource resource_of(const Config& config, const std::string& simulate) {
  const auto from_environment = resource_from_environment(environment_variable);
  return detect_resource(
      config,
      {.root = config.agent.text("root"),
       .environment = [](const char* name) { return environment_variable(name).value_or(""); },
       .from_environment = from_environment,
       .simulated = !simulate.empty()});
}

IdentityOptions identity_options(const Config& config) {
  return {owner_labels(config.agent.text("owner_labels")), config.agent.list("tenant")};
}

RegistryLimits limits_of(const Config& config) {
  return {static_cast<size_t>(config.agent.integer("limits.series_per_source")),
          static_cast<size_t>(config.agent.integer("limits.events"))};
}

// A run gets one and a half periods, so that a hang shows within two.
Duration deadline_of(const Options& options, Duration period) {
  const Duration given = options.find("deadline") ? options.duration("deadline") : Duration{};
  return given > Duration::zero() ? given : period * 3 / 2;
}

std::vector<std::pair<std::string, std::string>> given_options(const Options& options) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const OptionDef& def : options.table()) {
    if (options.given(def.name)) given.emplace_back(def.name, options.display(def.name));
  }
  return given;
}

ProbeSettings probe_settings(const SourceDef& def, const Options& options,
                             const PipelineSetup& setup, const Config& config, Time began) {
  ProbeSettings settings;
  settings.source = def.name;
  settings.vendor = def.vendor;
  settings.period = options.duration("period");
  settings.deadline = deadline_of(options, settings.period);
  settings.start_deadline = std::max(kProbeStartDeadline, settings.deadline);
  settings.launch.argv = {setup.executable, "probe", std::string(def.name)};
  settings.launch.start.root = config.agent.text("root");
  settings.launch.start.state_dir = config.agent.text("state_dir");
  settings.launch.start.simulate = setup.simulate;
  settings.launch.start.options = given_options(options);
  // A replaced child goes on in the scenario where its predecessor was.
  settings.launch.environment = {
      fmt::format("WARPSIGHT_SCENARIO_START={:.3f}", to_unix_seconds(began))};
  return settings;
}

bool same_history(const Config& a, const Config& b) {
  for (const std::string_view key : {"history.max_size", "history.full_for", "history.kept_for",
                                     "history.flush_interval", "history.enabled", "state_dir"}) {
    if (a.agent.display(key) != b.agent.display(key)) return false;
  }
  return true;
}

// What decides about a lane besides its own section.
bool same_surroundings(const Config& a, const Config& b) {
  return a.agent.text("root") == b.agent.text("root") &&
         a.agent.text("state_dir") == b.agent.text("state_dir");
}

bool is_on(const Section& sink) {
  return find_sink(sink.type()) != nullptr && sink.options.flag("enabled");
}

template <typename Range, typename T>
bool contains(const Range& range, const T& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

template <typename T>
void stop_all(const std::vector<std::unique_ptr<T>>& lanes) {
  for (const auto& lane : lanes) lane->request_stop();
}

// Takes out what `which` picks. What does not end in time is kept aside: its thread still runs.
template <typename T, typename Which>
void retire(std::vector<std::unique_ptr<T>>& lanes, std::vector<std::unique_ptr<T>>& abandoned,
            Which&& which) {
  const auto first = std::stable_partition(lanes.begin(), lanes.end(), std::not_fn(which));
  for (auto it = first; it != lanes.end(); ++it) (*it)->request_stop();
  for (auto it = first; it != lanes.end(); ++it) {
    if (!(*it)->stopped_within(kReplaceTimeout)) {
      abandoned.push_back(std::move(*it));
    } else if constexpr (requires { (*it)->end_told(); }) {
      (*it)->end_told();
    }
  }
  lanes.erase(first, lanes.end());
}

}  // namespace

Pipeline::Pipeline(PipelineSetup setup, const Clock& clock)
    : setup_(std::move(setup)),
      clock_(clock),
      began_(clock.now()),
      registry_(entities_, limits_of(setup_.config)),
      resource_(resource_of(setup_.config, setup_.simulate)) {
  // First, so that what the others say of a device is its owner's.
  auto identity = std::make_unique<Identity>(entities_, identity_options(setup_.config));
  identity_ = identity.get();
  registry_.set_settler(identity_);
  analyses_.push_back(std::move(identity));
  analyses_.push_back(std::make_unique<XidLedger>(entities_));
  analyses_.push_back(std::make_unique<Derived>(entities_));
  analyses_.push_back(std::make_unique<Devices>(entities_));
  analyses_.push_back(std::make_unique<ServingWindows>(entities_));
  const auto& namespaces = setup_.config.agent.list("namespaces");
  if (contains(namespaces, "hw")) analyses_.push_back(std::make_unique<HardwareNames>(entities_));
  if (contains(namespaces, "gen_ai")) analyses_.push_back(std::make_unique<GenAiNames>(entities_));
  auto self = std::make_unique<SelfReport>(entities_, kVersion, !setup_.simulate.empty());
  self_report_ = self.get();
  analyses_.push_back(std::move(self));
  if (setup_.remembers) {
    auto history = std::make_unique<HistoryReport>(entities_);
    history_report_ = history.get();
    analyses_.push_back(std::move(history));
    // Last, so that rules may name everything.
    auto engine = std::make_unique<alerts::Engine>(
        entities_, std::vector<alerts::Rule>{},
        alerts::EngineSettings{.state_file = alerts_file(setup_.config, !setup_.simulate.empty())},
        clock_);
    alerts_ = engine.get();
    alerts_file_ = std::make_unique<KeptFile>(alerts_file(setup_.config, !setup_.simulate.empty()),
                                              "alerts and silences would not outlive a restart");
    analyses_.push_back(std::move(engine));
  }
  for (const auto& analysis : analyses_) order_.push_back(analysis.get());
}

Pipeline::~Pipeline() = default;

SourceContext Pipeline::context(const Section& section, const Config& config) const {
  return {clock_,
          entities_,
          section.options,
          untraced(),
          config.agent.text("root"),
          config.agent.text("state_dir"),
          setup_.simulate,
          {},
          {},
          section.name};
}

bool Pipeline::wanted(const Section& section, const Config& config) const {
  if (!section.options.flag("enabled")) return false;
  const SourceDef& def = *find_source(section.type());
  return section.options.given("enabled") || def.present == nullptr ||
         def.present(context(section, config));
}

bool Pipeline::runs(std::string_view source) const {
  return std::ranges::any_of(lanes_, [&](const auto& lane) { return lane->name() == source; });
}

Result<std::unique_ptr<Lane>> Pipeline::make_lane(const Section& section,
                                                  const Config& config) const {
  const SourceDef& def = *find_source(section.type());
  if (def.isolation == Isolation::probe) {
    return std::make_unique<ProbeLane>(probe_settings(def, section.options, setup_, config, began_),
                                       registry_, clock_);
  }
  auto source = def.make(context(section, config));
  if (!source) return tl::unexpected(source.error());
  return std::make_unique<SourceLane>(section.name, section.options.duration("period"),
                                      std::move(*source), registry_, clock_);
}

Result<std::unique_ptr<SinkLane>> Pipeline::make_sink(const Section& section, const Config& config,
                                                      const Resource& resource) const {
  const SinkDef& def = *find_sink(section.type());
  auto sink =
      def.make({clock_, entities_, section.options, resource.full, resource.brief, alerts_});
  if (!sink) return tl::unexpected(sink.error());
  return std::make_unique<SinkLane>(
      sink_lane_settings(def, section.name, section.options, config.agent.text("state_dir")),
      std::move(*sink), registry_, clock_);
}

Result<> Pipeline::take_rules(const Config& config) {
  if (alerts_ == nullptr) return {};
  alerts::LoadedRules loaded;
  if (config.agent.flag("alerts.enabled")) {
    loaded = alerts::load_rules(config.agent.list("alerts.rules"));
  }
  if (!loaded.errors.empty()) return fail(to_string(loaded.errors.front()));
  registry_.pause([&] { alerts_->set_rules(std::move(loaded.rules)); });
  return {};
}

void Pipeline::open_history(const Config& config) {
  if (!setup_.remembers) return;
  registry_.pause([&] { history_report_->watch(nullptr); });
  history_.reset();
  if (!config.agent.flag("history.enabled")) return;
  auto opened =
      History::open(history_settings(config, !setup_.simulate.empty()), clock_, entities_);
  if (opened) {
    history_ = std::move(*opened);
    registry_.pause([&] { history_report_->watch(history_.get()); });
  } else {
    log_warn("no history is kept", {{"error", describe(opened.error())}});
  }
}

Result<> Pipeline::take_scenario() {
  if (setup_.simulate.empty()) return {};
  const auto scenario = simulate::load_scenario(setup_.simulate);
  if (!scenario) return tl::unexpected(scenario.error());
  if (scenario->owners.empty()) return {};
  Batch owners;
  owners.ownership = std::make_shared<const Ownership>(simulated_owners(*scenario));
  registry_.apply(registry_.add_source("simulation"), owners, clock_.now());
  return {};
}

Result<> Pipeline::start() {
  if (auto taken = take_rules(setup_.config); !taken) return taken;
  if (auto taken = take_scenario(); !taken) return taken;
  open_history(setup_.config);
  for (const Section& section : setup_.config.sources) {
    if (!wanted(section, setup_.config)) continue;
    auto lane = make_lane(section, setup_.config);
    if (!lane) return tl::unexpected(lane.error());
    lanes_.push_back(std::move(*lane));
  }
  for (const Section& section : setup_.config.sinks) {
    if (!is_on(section)) continue;
    auto sink = make_sink(section, setup_.config, resource_);
    if (!sink) return tl::unexpected(sink.error());
    sinks_.push_back(std::move(*sink));
  }
  watch();
  for (const auto& sink : sinks_) sink->start();
  for (const auto& lane : lanes_) lane->start();
  return {};
}

void Pipeline::watch() { self_report_->watch(lanes_, sinks_); }

void Pipeline::discover() {
  for (const Section& section : setup_.config.sources) {
    if (runs(section.name) || !wanted(section, setup_.config)) continue;
    auto lane = make_lane(section, setup_.config);
    if (!lane) continue;
    log_info("found something to read", {{"source", section.name}});
    (*lane)->start();
    lanes_.push_back(std::move(*lane));
  }
  watch();
}

void Pipeline::publish() {
  registry_.publish(clock_.now(), order_);
  registry_.read([&](const Snapshot& snapshot) {
    for (const auto& sink : sinks_) sink->accept(snapshot);
    if (history_) history_->record(snapshot);
  });
  save_alerts();
  flush_suppressed_logs();
}

void Pipeline::save_alerts(bool now) {
  if (alerts_ == nullptr) return;
  if (auto text = alerts_->unsaved(now)) alerts_file_->put(std::move(*text));
}

bool Pipeline::has_run(uint64_t runs) const {
  return std::ranges::all_of(lanes_, [&](const auto& lane) { return lane->status().runs >= runs; });
}

void Pipeline::run_now() {
  for (const auto& lane : lanes_) lane->run_now();
}

bool Pipeline::has_met_devices() {
  if (!has_run(1)) return false;
  if (!awaiting_) {
    awaiting_ = true;
    for (const auto& lane : lanes_) {
      const LaneStatus status = lane->status();
      if (!find_source(status.source.substr(0, status.source.find('/')))->follows_devices) continue;
      awaited_.emplace_back(status.source, status.runs + 1);
      lane->run_now();
    }
  }
  return std::ranges::all_of(lanes_, [&](const auto& lane) {
    const auto awaited =
        std::ranges::find(awaited_, lane->name(), &std::pair<std::string, uint64_t>::first);
    return awaited == awaited_.end() || lane->status().runs >= awaited->second;
  });
}

identity::OwnersReport Pipeline::owners() const {
  return registry_.inspect([&](const View& view) { return identity_->report(view); });
}

Result<> Pipeline::reconfigure(const Config& config) {
  // Made before anything is stopped: an error leaves the old ones running.
  const bool surroundings = same_surroundings(config, setup_.config);
  std::vector<std::unique_ptr<Lane>> new_lanes;
  std::vector<std::string> kept;
  for (const Section& section : config.sources) {
    if (surroundings && contains(setup_.config.sources, section)) {
      kept.push_back(section.name);
      continue;
    }
    if (!wanted(section, config)) continue;
    auto lane = make_lane(section, config);
    if (!lane) return tl::unexpected(lane.error());
    new_lanes.push_back(std::move(*lane));
  }
  Resource resource = resource_of(config, setup_.simulate);
  std::vector<std::unique_ptr<SinkLane>> new_sinks;
  std::vector<std::string> kept_sinks;
  for (const Section& section : config.sinks) {
    if (!is_on(section)) continue;
    if (surroundings && resource == resource_ && contains(setup_.config.sinks, section)) {
      kept_sinks.push_back(section.name);
      continue;
    }
    auto sink = make_sink(section, config, resource);
    if (!sink) return tl::unexpected(sink.error());
    new_sinks.push_back(std::move(*sink));
  }
  if (auto taken = take_rules(config); !taken) return taken;

  retire(lanes_, abandoned_lanes_, [&](const auto& lane) { return !contains(kept, lane->name()); });
  retire(sinks_, abandoned_sinks_,
         [&](const auto& lane) { return !contains(kept_sinks, lane->name()); });
  resource_ = std::move(resource);
  for (auto& sink : new_sinks) {
    sink->start();
    sinks_.push_back(std::move(sink));
  }
  for (auto& lane : new_lanes) {
    lane->start();
    lanes_.push_back(std::move(lane));
  }
  if (!same_history(config, setup_.config)) {
    if (history_ && !history_->stop(kReplaceTimeout)) {
      abandoned_histories_.push_back(std::move(history_));
    }
    open_history(config);
  }
  setup_.config = config;
  registry_.pause([&] { identity_->configure(identity_options(config)); });
  watch();
  return {};
}

bool Pipeline::stop(Duration timeout) {
  const SteadyTime end = clock_.steady() + timeout;
  const auto left = [&] { return std::max(end - clock_.steady(), Duration::zero()); };
  stop_all(lanes_);
  stop_all(sinks_);
  bool ended = abandoned_lanes_.empty() && abandoned_sinks_.empty() && abandoned_histories_.empty();
  for (const auto& sink : sinks_) ended &= sink->stopped_within(left());
  for (const auto& lane : lanes_) ended &= lane->stopped_within(left());
  save_alerts(true);
  if (alerts_file_) ended &= alerts_file_->written_within(std::max<Duration>(left(), kLastWrite));
  if (history_) ended &= history_->stop(std::max<Duration>(left(), kLastWrite));
  return ended;
}

}  // namespace warpsight

#include "runtime/probe_lane.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "runtime/log.h"

namespace warpsight {
namespace {

// Children killed but not gone. With one of them stuck in the kernel a quarantined device is not
// tried again, and with two no child is started at all: each might become another.
constexpr size_t kMostStuckForReplacement = 1;

constexpr Duration kRestartStep = std::chrono::seconds{1};
constexpr Duration kRestartLongest = std::chrono::minutes{1};
constexpr uint64_t kRepliesToTrust = 2;

}  // namespace

ProbeLane::ProbeLane(ProbeSettings settings, Registry& registry, const Clock& clock)
    : Lane(settings.source, settings.period, registry, clock),
      settings_(std::move(settings)),
      entities_(registry.entities()),
      vendor_(entities_.intern(EntityKind::facet, kNoEntity, {{"gpu.vendor", settings_.vendor}})),
      restart_(kRestartStep, kRestartLongest) {
  if (auto pipe = make_pipe()) {
    wake_read_ = std::move(pipe->first);
    wake_write_ = std::move(pipe->second);
    (void)set_nonblocking(wake_read_.get(), true);
    (void)set_nonblocking(wake_write_.get(), true);
  }
}

ProbeLane::~ProbeLane() = default;

void ProbeLane::wake() {
  const char byte = 0;
  // A full pipe is as good as a written one: the reader will wake.
  (void)!write(wake_write_.get(), &byte, 1);
}

void ProbeLane::loop() {
  due_ = clock().steady();
  while (!stopping()) {
    const SteadyTime now = clock().steady();
    if (take_run_request()) due_ = now;
    reap();
    open_main(now);
    open_retries(now);
    tell_children();
    ask(now);
    wait_for_something(now);

    const SteadyTime later = clock().steady();
    receive_main(later);
    for (auto it = quarantined_.begin(); it != quarantined_.end();) {
      auto& [device, state] = *it++;  // receive_retry may end this quarantine
      if (state.channel) receive_retry(device, state, later);
    }
    check_deadlines(later);
    apply();
  }
  main_.reset();
  quarantined_.clear();
}

void ProbeLane::open_main(SteadyTime now) {
  if (main_ || now < reopen_at_ || dying_.size() > kMostStuckForReplacement) return;
  probe::Launch launch = settings_.launch;
  for (const auto& [device, state] : quarantined_) launch.start.skip_devices.push_back(device);
  auto opened = probe::Channel::open(launch, entities_);
  if (!opened) {
    main_lost(now, "spawn", describe(opened.error()));
    return;
  }
  main_ = std::move(*opened);
  due_ = now;
}

void ProbeLane::open_retries(SteadyTime now) {
  if (!dying_.empty()) return;
  for (auto& [device, state] : quarantined_) {
    if (state.channel || now < state.retry_at) continue;
    probe::Launch launch = settings_.launch;
    launch.start.only_devices = {device};
    auto opened = probe::Channel::open(launch, entities_);
    if (!opened) {
      state.retry_at = now + state.backoff.failed(now);
      continue;
    }
    state.channel = std::move(*opened);
    if (!state.channel->request(now, now + settings_.start_deadline)) {
      retry_lost(device, state, now);
    }
  }
}

void ProbeLane::ask(SteadyTime now) {
  if (now < due_) return;
  due_ += period();
  if (due_ < now) due_ = now + period() - (now - due_) % period();
  for (auto& [device, state] : quarantined_) {
    if (state.channel && !state.channel->waiting()) {
      (void)state.channel->request(now, now + settings_.deadline);
    }
  }
  if (!main_ || main_->waiting()) return;
  run_began();
  const Duration patience = main_->replies() == 0 ? settings_.start_deadline : settings_.deadline;
  if (auto sent = main_->request(now, now + patience); !sent) {
    main_lost(now, "died", describe(sent.error()));
  }
}

SteadyTime ProbeLane::next_moment(SteadyTime now) const {
  SteadyTime next = due_;
  if (main_ && main_->waiting()) next = std::min(next, main_->deadline());
  if (!main_ && reopen_at_ > now) next = std::min(next, reopen_at_);
  for (const auto& [device, state] : quarantined_) {
    if (state.channel && state.channel->waiting()) next = std::min(next, state.channel->deadline());
    if (!state.channel && dying_.empty()) next = std::min(next, state.retry_at);
  }
  return next;
}

void ProbeLane::wait_for_something(SteadyTime now) {
  poll_.clear();
  poll_.push_back({wake_read_.get(), POLLIN, 0});
  if (main_) poll_.push_back({main_->fd(), POLLIN, 0});
  for (const auto& [device, state] : quarantined_) {
    if (state.channel) poll_.push_back({state.channel->fd(), POLLIN, 0});
  }

  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_moment(now) - now);
  poll(poll_.data(), poll_.size(), static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000)));
  char drained[64];
  while (read(wake_read_.get(), drained, sizeof(drained)) > 0) {
  }
}

void ProbeLane::receive_main(SteadyTime now) {
  if (!main_) return;
  Result<> outcome;
  const auto replied = main_->receive(batch_, outcome);
  if (!replied) {
    main_lost(now, "died", describe(replied.error()));
    return;
  }
  if (!*replied) return;
  driver_hung_ = false;
  last_crash_device_.clear();
  run_ended(outcome);
  if (!outcome) {
    log_limited(LogLevel::warn, name(), "source failed",
                {{"source", name()}, {"error", describe(outcome.error())}});
  }
  if (main_->replies() == kRepliesToTrust) drop_orphans();
  report_responsive();
}

void ProbeLane::receive_retry(const std::string& device, Quarantined& state, SteadyTime now) {
  Result<> outcome;
  const auto replied = state.channel->receive(batch_, outcome);
  if (!replied || !outcome) {
    retry_lost(device, state, now);
  } else if (*replied && state.channel->replies() >= kRepliesToTrust) {
    release(device);
  }
}

void ProbeLane::check_deadlines(SteadyTime now) {
  if (main_ && main_->waiting() && now >= main_->deadline()) {
    const std::string call = main_->trace().call();
    const std::string device = main_->trace().device();
    const double waited = to_seconds(now - main_->requested_at());
    event("gpu.driver.hang", Severity::error, device,
          fmt::format("{} has not returned for {:.1f} s{}", call.empty() ? "a driver call" : call,
                      waited, device.empty() ? "" : "; its GPU is left alone until it answers"),
          {{"driver.call", call}, {"gpu.pci.address", device}, {"source", name()}});
    if (device.empty()) driver_hung_ = true;
    if (!device.empty()) quarantine(device, call, now);
    main_lost(now, "hung", fmt::format("{} hung", call));
  }
  for (auto& [device, state] : quarantined_) {
    if (state.channel && state.channel->waiting() && now >= state.channel->deadline()) {
      retry_lost(device, state, now);
    }
  }
}

void ProbeLane::main_lost(SteadyTime now, std::string_view kind, const std::string& why) {
  run_ended(fail(why), kind);
  reopen_at_ = now + restart_.failed(now);
  ++restarts_;
  log_limited(LogLevel::warn, name(), "probe lost, replacing it",
              {{"source", name()}, {"why", why}, {"in", reopen_at_ - now}});
  if (main_) {
    // A library that crashes twice running on the same device is as bad as one that hangs.
    const std::string device = main_->trace().inside_call() ? main_->trace().device() : "";
    if (kind == "died" && !device.empty()) {
      if (device == last_crash_device_) quarantine(device, main_->trace().call(), now);
      last_crash_device_ = device;
    }
    std::ranges::copy(main_->decoder().known(), std::back_inserter(orphans_));
    bury(std::move(main_));
  }
  report_responsive();
}

void ProbeLane::retry_lost(const std::string& device, Quarantined& state, SteadyTime now) {
  state.retry_at = now + state.backoff.failed(now);
  log_limited(LogLevel::warn, device, "device still does not answer",
              {{"source", name()}, {"device", device}, {"retry_in", state.retry_at - now}});
  bury(std::move(state.channel));
}

void ProbeLane::quarantine(const std::string& device, const std::string& call, SteadyTime now) {
  Quarantined state{call, Backoff(settings_.retry_step, settings_.retry_longest), {}, nullptr};
  (void)state.backoff.failed(now);  // the hang itself: the first retry waits a step
  state.retry_at = now + settings_.retry_step;
  quarantined_.insert_or_assign(device, std::move(state));
}

void ProbeLane::release(std::string device) {
  event("gpu.driver.recovered", Severity::info, device, "the driver answers for this GPU again",
        {{"gpu.pci.address", device}, {"source", name()}});
  bury(std::move(quarantined_.at(device).channel));
  quarantined_.erase(device);
  if (main_) (void)main_->admit(device);
}

void ProbeLane::bury(std::unique_ptr<probe::Channel> channel) {
  if (channel) dying_.push_back(channel->kill());
}

void ProbeLane::reap() {
  std::erase_if(dying_, [](Child& child) { return !child.running() || child.poll().has_value(); });
}

void ProbeLane::tell_children() {
  pids_.clear();
  if (main_) pids_.push_back(main_->pid());
  for (const auto& [device, state] : quarantined_) {
    if (state.channel) pids_.push_back(state.channel->pid());
  }
  for (const Child& child : dying_) pids_.push_back(child.pid());
  set_children(pids_, restarts_);
}

void ProbeLane::drop_orphans() {
  std::vector<EntityId> known = main_->decoder().known();
  std::ranges::sort(known, {}, &EntityId::bits);
  for (const EntityId orphan : orphans_) {
    if (std::ranges::binary_search(known, orphan.bits, {}, &EntityId::bits)) continue;
    const EntityId gpu = entities_.ancestor(orphan, EntityKind::gpu);
    if (gpu && quarantined_.contains(entities_.attribute(gpu, ".pci"))) continue;
    batch_.gone.push_back(orphan);
  }
  orphans_.clear();
}

void ProbeLane::apply() {
  if (batch_.points.empty() && batch_.events.empty() && batch_.gone.empty() &&
      batch_.absences.empty()) {
    return;
  }
  registry().apply(writer(), batch_, clock().now());
}

void ProbeLane::report_responsive() {
  batch_.begin(clock().now(), period());
  batch_.add(Metric::gpu_driver_responsive, vendor_, driver_hung_ ? 0 : 1);
  entities_.for_each(EntityKind::gpu, [&](EntityId id, const Entity& gpu) {
    const auto value_of = [&](std::string_view key) -> std::string_view {
      for (const Attribute& a : gpu.attributes) {
        if (a.key == key) return a.value;
      }
      return {};
    };
    if (value_of("gpu.vendor") != settings_.vendor) return;
    const bool answers = !driver_hung_ && !quarantined_.contains(value_of(".pci"));
    batch_.add(Metric::gpu_driver_responsive, id, answers ? 1 : 0);
  });
}

EntityId ProbeLane::device_entity(std::string_view address) const {
  EntityId found;
  entities_.for_each(EntityKind::gpu, [&](EntityId id, const Entity& gpu) {
    for (const Attribute& a : gpu.attributes) {
      if (a.key == ".pci" && a.value == address) found = id;
    }
  });
  return found;
}

void ProbeLane::event(std::string_view kind, Severity severity, std::string_view device,
                      std::string message, std::vector<Attribute> attributes) {
  std::erase_if(attributes, [](const Attribute& a) { return a.value.empty(); });
  log_limited(severity == Severity::info ? LogLevel::info : LogLevel::error, device, message,
              {{"source", name()}, {"device", device}});
  batch_.events.push_back({clock().now(), std::string(kind), severity, device_entity(device),
                           std::move(message), std::move(attributes)});
}

}  // namespace warpsight

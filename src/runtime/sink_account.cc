#include "runtime/sink_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "runtime/log.h"

namespace warpsight {
namespace {

using Outcome = Delivery::Outcome;

constexpr size_t kMostWords = 512;
// A peer that refuses everything is not told of at every message.
constexpr Duration kRefusalInterval = std::chrono::minutes{10};

std::string bounded(std::string_view words) { return std::string(words.substr(0, kMostWords)); }

EntityId sink_facet(EntityTable& entities, std::string_view name) {
  const EntityId agent =
      entities.intern(EntityKind::agent, kNoEntity, std::initializer_list<AttributeView>{});
  return entities.intern(EntityKind::facet, agent, {{"sink", name}});
}

LogLevel level_of(Severity severity) {
  switch (severity) {
    case Severity::info: return LogLevel::info;
    case Severity::warning: return LogLevel::warn;
    case Severity::error: return LogLevel::error;
  }
  return LogLevel::error;
}

}  // namespace

std::string_view to_string(SinkState state) {
  switch (state) {
    case SinkState::ok: return "ok";
    case SinkState::failing: return "failing";
    case SinkState::unauthorized: return "unauthorized";
  }
  return "ok";
}

void RequestTimes::add(Duration took) {
  const double seconds = to_seconds(took);
  const auto bucket = std::ranges::lower_bound(kBounds, seconds) - kBounds.begin();
  ++counts[static_cast<size_t>(bucket)];
  sum += seconds;
}

bool RequestTimes::empty() const {
  return std::ranges::all_of(counts, [](uint64_t count) { return count == 0; });
}

SinkAccount::SinkAccount(std::string name, std::string peer, Registry& registry, const Clock& clock)
    : name_(std::move(name)),
      registry_(registry),
      clock_(clock),
      writer_(registry.add_source("runtime")),
      entity_(sink_facet(registry.entities(), name_)) {
  status_.sink = name_;
  status_.peer = std::move(peer);
  status_.times.start = clock.now();
}

void SinkAccount::record(const Message& message, const Delivery& delivery, Duration took,
                         uint64_t waiting) {
  {
    const std::lock_guard lock(mutex_);
    status_.times.add(took);
    if (delivery.outcome == Outcome::accepted) {
      status_.last_error.clear();
    } else {
      ++status_.failures[delivery.reason];
      status_.last_error = bounded(delivery.words);
    }
  }
  switch (delivery.outcome) {
    case Outcome::accepted: return accepted(message, delivery, waiting);
    case Outcome::refused: return refused(message, delivery);
    case Outcome::retry:
    case Outcome::unauthorized: return failed(delivery);
  }
}

void SinkAccount::accepted(const Message& message, const Delivery& delivery, uint64_t waiting) {
  const uint64_t rejected = std::min<uint64_t>(delivery.rejected, message.points);
  const uint64_t too_old = std::min<uint64_t>(delivery.too_old, message.points - rejected);
  SinkState before{};
  {
    const std::lock_guard lock(mutex_);
    status_.sent += message.points - rejected - too_old;
    drops_[DropReason::rejected] += rejected;
    drops_[DropReason::too_old] += too_old;
    before = std::exchange(status_.state, SinkState::ok);
    refusal_told_.reset();
  }
  if (rejected > 0) tell_missing("the peer rejected points", rejected, delivery);
  if (too_old > 0) tell_missing("the peer found points too old", too_old, delivery);
  if (before != SinkState::ok) {
    event(
        "sink.recovered", Severity::info,
        fmt::format("the peer of {} takes messages again; {} points were waiting", name_, waiting),
        {{"points", std::to_string(waiting)}});
  }
}

void SinkAccount::tell_missing(std::string_view what, uint64_t points, const Delivery& delivery) {
  log_limited(LogLevel::warn, name_, what,
              {{"sink", name_}, {"points", points}, {"peer", bounded(delivery.words)}});
}

void SinkAccount::refused(const Message& message, const Delivery& delivery) {
  const SteadyTime now = clock_.steady();
  bool tell = false;
  {
    const std::lock_guard lock(mutex_);
    drops_[DropReason::refused] += message.points;
    tell = !refusal_told_ || now - *refusal_told_ >= kRefusalInterval;
    if (tell) refusal_told_ = now;
  }
  const std::string words = bounded(delivery.words);
  if (tell) {
    event("sink.refused", Severity::error,
          fmt::format("the peer of {} refused {} points: {}", name_, message.points, words),
          {{"error.type", delivery.reason}, {"points", std::to_string(message.points)}});
  } else {
    log_limited(LogLevel::error, name_, "the peer refused a message",
                {{"sink", name_}, {"points", message.points}, {"peer", words}});
  }
}

void SinkAccount::failed(const Delivery& delivery) {
  const bool unauthorized = delivery.outcome == Outcome::unauthorized;
  const SinkState now = unauthorized ? SinkState::unauthorized : SinkState::failing;
  SinkState before{};
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(status_.state, now);
  }
  const std::string words = bounded(delivery.words);
  if (before == now) {
    log_limited(LogLevel::error, name_, "sink failed", {{"sink", name_}, {"error", words}});
  } else if (unauthorized) {
    event("sink.unauthorized", Severity::error,
          fmt::format("the peer of {} does not accept our credentials: {}", name_, words),
          {{"error.type", delivery.reason}});
  } else {
    event("sink.failing", Severity::warning, fmt::format("sink {} failed: {}", name_, words),
          {{"error.type", delivery.reason}});
  }
}

void SinkAccount::drop(DropReason reason, uint64_t points) {
  const std::lock_guard lock(mutex_);
  drops_[reason] += points;
}

void SinkAccount::tell(const SpoolNotice& notice) {
  switch (notice.kind) {
    case SpoolNotice::Kind::unwritable:
      return event("spool.unwritable", Severity::error,
                   fmt::format("the spool of {} takes nothing; only the newest messages are kept, "
                               "in memory: {}",
                               name_, notice.message));
    case SpoolNotice::Kind::writable:
      return event("spool.writable", Severity::info,
                   fmt::format("the spool of {} takes messages again", name_));
    case SpoolNotice::Kind::corrupt:
      return event("spool.corrupt", Severity::warning,
                   fmt::format("the spool of {}: {}", name_, notice.message),
                   {{"file", notice.file},
                    {"offset", std::to_string(notice.offset)},
                    {"bytes", std::to_string(notice.bytes)}});
  }
}

void SinkAccount::tell_set_aside(const Result<std::string>& path) {
  if (path) {
    log_limited(LogLevel::info, name_, "kept the refused message",
                {{"sink", name_}, {"file", *path}});
  } else {
    log_limited(LogLevel::warn, name_, "cannot keep the refused message",
                {{"sink", name_}, {"error", describe(path.error())}});
  }
}

void SinkAccount::event(std::string_view name, Severity severity, std::string message,
                        std::vector<Attribute> attributes) {
  std::erase_if(attributes, [](const Attribute& a) { return a.value.empty(); });
  log_limited(level_of(severity), name_, message, {{"sink", name_}, {"event", name}});
  const Time now = clock_.now();
  Batch batch;
  batch.events.push_back(
      {now, std::string(name), severity, entity_, std::move(message), std::move(attributes)});
  registry_.apply(writer_, batch, now);
}

}  // namespace warpsight

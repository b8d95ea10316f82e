#include "app/doctor_sinks.h"

#include <fmt/format.h>

#include "core/registry.h"
#include "core/version.h"
#include "runtime/sink.h"
#include "sinks/table.h"

namespace warpsight {
namespace {

void fill(Registry& registry, const Clock& clock) {
  EntityTable& entities = registry.entities();
  const EntityId agent =
      entities.intern(EntityKind::agent, kNoEntity, std::initializer_list<AttributeView>{});
  const EntityId build =
      entities.intern(EntityKind::facet, agent, {{"warpsight.version", kVersion}});
  Batch batch;
  batch.begin(clock.now(), std::chrono::seconds{1});
  batch.add(Metric::warpsight_build, build, 1);
  batch.events.push_back({clock.now(),
                          "doctor.test",
                          Severity::info,
                          agent,
                          "a test message of warpsight doctor",
                          {}});
  registry.apply(registry.add_source("runtime"), batch, clock.now());
  registry.publish(clock.now(), {});
}

std::string_view outcome_text(Delivery::Outcome outcome) {
  switch (outcome) {
    case Delivery::Outcome::accepted: return "accepted";
    case Delivery::Outcome::retry: return "not taken now, would be kept and tried again";
    case Delivery::Outcome::refused: return "refused for good";
    case Delivery::Outcome::unauthorized: break;
  }
  return "not allowed: mend the credentials";
}

SinkCheck check(const Section& section, Sink& sink, Outbox& out, const Clock& clock) {
  SinkCheck check{section.name, true, {}, {}};
  const SteadyTime began = clock.steady();
  for (const Message& message : out.messages()) {
    const Delivery delivery = sink.deliver(message);
    const bool taken = delivery.outcome == Delivery::Outcome::accepted &&
                       delivery.rejected + delivery.too_old == 0;
    check.text = fmt::format("{}: {}", sink.peer(), outcome_text(delivery.outcome));
    if (taken && delivery.reason.empty()) continue;
    check.good = taken;
    check.text += fmt::format(" ({})", delivery.reason);
    check.hint = delivery.words;
    if (!taken) return check;
  }
  check.text += fmt::format(" in {:.1f} ms", to_seconds(clock.steady() - began) * 1e3);
  return check;
}

}  // namespace

std::vector<SinkCheck> check_sinks(const Config& config, const Resource& resource,
                                   const Clock& clock) {
  EntityTable entities;
  Registry registry(entities);
  fill(registry, clock);
  std::vector<SinkCheck> checks;
  for (const Section& section : config.sinks) {
    const SinkDef* def = find_sink(section.type());
    if (def == nullptr || !section.options.flag("enabled")) continue;
    auto sink = def->make({clock, entities, section.options, resource.full, resource.brief});
    if (!sink) {
      checks.push_back({section.name, false, sink.error().message, sink.error().hint});
      continue;
    }
    Outbox out;
    registry.read([&](const Snapshot& snapshot) { (*sink)->encode(snapshot, out); });
    checks.push_back(check(section, **sink, out, clock));
  }
  return checks;
}

}  // namespace warpsight

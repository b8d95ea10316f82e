// Any text: the reader of rules answers with rules that can be used, or with mistakes that name the
// file and say what to do. What is remembered of alerts over a restart is read as warily.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "alerts/engine.h"
#include "alerts/promql.h"
#include "alerts/rule.h"
#include "alerts/state_file.h"

namespace {

using namespace warpsight;

void read_rules(std::string_view text) {
  const alerts::LoadedRules loaded = alerts::parse_rules(text, "fuzz");
  for (const alerts::RuleError& error : loaded.errors) {
    if (error.hint.empty() || !to_string(error).starts_with("fuzz")) __builtin_trap();
  }
  for (const alerts::Rule& rule : loaded.rules) {
    if (rule.name.empty() || (rule.enabled && rule.conditions.empty())) __builtin_trap();
    if (!rule.conditions.empty() && alerts::promql(rule).empty()) __builtin_trap();
  }
  alerts::prometheus_rules(loaded.rules, std::chrono::seconds{10});
  const ManualClock clock;
  EntityTable entities;
  Registry registry(entities);
  Batch batch;
  batch.begin(clock.now(), std::chrono::seconds{10});
  batch.add(Metric::gpu_temperature,
            entities.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}}), 90);
  registry.apply(registry.add_source("nvml"), batch, clock.now());
  alerts::Engine engine(entities, loaded.rules, {}, clock);
  Analysis* analyses[] = {&engine};
  registry.publish(clock.now(), analyses);
}

void read_state(std::string_view text) {
  const auto state = alerts::parse_state(text);
  if (!state) return;
  const std::string written = alerts::state_text(*state);
  const auto again = alerts::parse_state(written);
  if (!again || alerts::state_text(*again) != written) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_rules(text);
  read_state(text);
  return 0;
}

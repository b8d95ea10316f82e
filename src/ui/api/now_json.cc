#include "ui/api/now_json.h"

#include "ui/api/alerts_json.h"
#include "ui/api/events_json.h"
#include "ui/api/json_parts.h"
#include "ui/api/now_devices.h"
#include "ui/api/now_facts.h"

namespace warpsight {
namespace {

constexpr size_t kEvents = 50;

void add_agent(JsonWriter& json, const AgentBasics& agent) {
  json.field("interval", to_seconds(agent.interval))
      .field("host", agent.host)
      .field("version", agent.version)
      .field("uptime", to_seconds(agent.uptime))
      .field("simulated", !agent.scenario.empty());
  add_text_or_null(json, "scenario", agent.scenario);
}

void add_model(JsonWriter& json, const ModelNow& model) {
  json.begin_object().field("name", model.name);
  add_attributes(json, model.attributes);
  json.key("values").begin_object();
  for (size_t i = 0; i < model.values.size(); ++i) {
    const std::optional<double>& value = model.values[i];
    if (value) json.field(row(kModelMetrics[i]).name, *value);
  }
  json.end_object().key("latency").begin_object();
  for (const LatencyNow& latency : model.latencies) {
    json.key(latency.name).begin_object();
    for (const auto& [quantile, seconds] : latency.quantiles) json.field(quantile, seconds);
    json.end_object();
  }
  json.end_object().end_object();
}

void add_engine(JsonWriter& json, const EngineNow& engine, const EngineGpus& gpus) {
  json.begin_object().field("id", engine.address).field("engine", engine.engine);
  add_text_or_null(json, "version", engine.version);
  json.field("up", engine.up);
  add_text_or_null(json, "error", engine.error);
  json.key("attributes").begin_object().field("server.address", engine.address).end_object();
  if (const auto known = gpus.find(engine.address); known != gpus.end()) {
    json.key("gpus").begin_array();
    for (const std::string& gpu : known->second) json.value(gpu);
    json.end_array();
  }
  json.key("models").begin_array();
  for (const ModelNow& model : engine.models) add_model(json, model);
  json.end_array().end_object();
}

void add_known(JsonWriter& json, std::string_view key, const std::optional<double>& value) {
  if (value) json.field(key, *value);
}

void add_node(JsonWriter& json, const NowFacts& facts) {
  json.key("node").begin_object();
  add_known(json, row(Metric::system_cpu_utilization).name, facts.cpu);
  add_known(json, row(Metric::system_memory_utilization).name, facts.memory);
  add_known(json, row(Metric::system_cpu_load_average_1m).name, facts.load);
  add_known(json, row(Metric::host_gpu_utilization_avg).name, facts.gpus);
  json.end_object().key("devices").begin_object();
  add_known(json, "expected", facts.expected);
  add_known(json, "seen", facts.seen);
  add_known(json, "lost", facts.lost);
  json.end_object();
}

}  // namespace

void append_now_json(std::string& out, const NowInputs& inputs) {
  const NowFacts facts = now_facts(inputs.registry, inputs.entities);
  JsonWriter json(out);
  json.begin_object();
  add_time(json, "time", facts.time);
  add_agent(json, inputs.agent);
  add_gpus(json, facts, inputs);
  json.key("engines").begin_array();
  for (const EngineNow& engine : facts.engines) add_engine(json, engine, inputs.engine_gpus);
  json.end_array();
  add_node(json, facts);
  json.key("alerts").begin_array();
  for (const Alert& alert : inputs.alerts) add_alert(json, alert, alert.silenced);
  json.end_array().key("events").begin_array();
  EventQuery newest;
  newest.to = Time::max();
  newest.limit = kEvents;
  const EventAnswer recent =
      recent_events(inputs.registry.recent_events(), inputs.entities, newest);
  for (const KeptEvent& event : recent.events) add_event(json, event);
  json.end_array().end_object();
}

}  // namespace warpsight

// Documents of /api/v1/now for tests, and models that have seen them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "top/model.h"
#include "wire/json.h"

namespace warpsight::top::test {

inline constexpr double kNow = 1731700000;  // 19:46:40 UTC

// What a test says of a node; the rest is made up.
struct NodeShape {
  std::string host = "node7";
  int gpus = 8;
  int instances = 0;  // of MIG, on each GPU
  int lost = 0;
  bool engines = true;
  bool simulated = false;
  std::string owner = "ml/train-{}/worker";  // {}: the index of its GPU
  std::string process = "python3";
  std::string alerts = "[]";
  std::string events = "[]";
  double time = kNow;
};

inline std::string owner_of(const NodeShape& shape, int gpu) {
  return fmt::format(fmt::runtime(shape.owner), gpu);
}

inline void write_owned(JsonWriter& json, const NodeShape& shape, int gpu, int pid) {
  const std::string owner = owner_of(shape, gpu);
  json.key("owners").begin_array().begin_object();
  json.field("name", owner).field("kind", "pod").field("tenant", "research").field("held", true);
  json.field("since", kNow - 3600).field("utilization", 0.9).field("memory", 6e10);
  json.field("busy", 3000.0).field("energy", 4.1e6).end_object().end_array();
  json.key("processes").begin_array().begin_object();
  json.field("pid", std::to_string(pid)).field("name", shape.process).field("owner", owner);
  json.field("memory", 1e10 * (gpu % 4 + 1))
      .field("utilization", 0.1 * gpu)
      .end_object()
      .end_array();
}

inline void write_gpu(JsonWriter& json, const NodeShape& shape, int gpu) {
  const std::string id = fmt::format("GPU-{:04}", gpu);
  const bool divided = shape.instances > 0;
  json.begin_object().field("id", id).field("kind", "gpu").key("parent").null();
  json.field("index", std::to_string(gpu)).field("model", "NVIDIA H100 80GB HBM3");
  json.key("attributes").begin_object().field("gpu.uuid", id).end_object();
  json.key("values").begin_object();
  if (!divided) json.field("gpu.utilization", 0.125 * gpu).field("gpu.sm.active", 0.1 * gpu);
  json.field("gpu.memory.used", 1e10 * gpu).field("gpu.memory.total", 85899345920.0);
  json.field("gpu.power.draw", 80.0 + 80 * gpu).field("gpu.power.limit", 700);
  json.field("gpu.temperature", 40 + 6 * gpu).field("gpu.clock.frequency", 1.98e9);
  json.field("gpu.throttle.power_active", gpu == 7 ? 1 : 0).end_object();
  if (!divided) write_owned(json, shape, gpu, 4000 + gpu);
  json.key("alerts").begin_array();
  if (gpu == 0) json.value("a1");
  json.end_array().end_object();
  for (int part = 0; part < shape.instances; ++part) {
    json.begin_object().field("id", fmt::format("MIG-{:04}-{}", gpu, part)).field("kind", "mig");
    json.field("parent", id).field("index", fmt::format("{}/{}", gpu, part));
    json.field("model", "NVIDIA H100 80GB HBM3");
    json.key("attributes").begin_object().field("gpu.mig.profile", "1g.10gb").end_object();
    json.key("values").begin_object().field("gpu.memory.used", 1e9 * part);
    json.field("gpu.gr_engine.active", 0.125 * part).field("gpu.sm.active", 0.05 * part);
    json.field("gpu.memory.total", 1.07e10).end_object().end_object();
  }
}

inline void write_engines(JsonWriter& json) {
  json.key("engines").begin_array().begin_object();
  json.field("id", "127.0.0.1:8000")
      .field("engine", "vllm")
      .field("version", "0.9.1")
      .field("up", true);
  json.key("gpus").begin_array().value("GPU-0002").end_array();
  json.key("models").begin_array().begin_object().field("name", "llama-3-8b");
  json.key("values")
      .begin_object()
      .field("llm.requests.running", 12)
      .field("llm.requests.waiting", 0);
  json.field("llm.generation.throughput", 1830.5).field("llm.kv_cache.usage", 0.42).end_object();
  json.key("latency").begin_object().key("ttft").begin_object().field("0.95", 0.31).end_object();
  json.end_object().end_object().end_array().end_object();
  json.begin_object().field("id", "127.0.0.1:9000").field("engine", "sglang").field("up", false);
  json.field("error", "connection refused").key("models").begin_array().end_array().end_object();
  json.end_array();
}

inline std::string document(const NodeShape& shape) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("time", shape.time).field("interval", 10).field("host", shape.host);
  json.field("version", "0.1.0").field("uptime", 5230.1).field("simulated", shape.simulated);
  if (shape.simulated) json.field("scenario", "8xh100");
  json.key("gpus").begin_array();
  for (int gpu = 0; gpu < shape.gpus; ++gpu) write_gpu(json, shape, gpu);
  json.end_array();
  if (shape.engines) write_engines(json);
  json.key("node").begin_object().field("system.cpu.utilization", 0.31).end_object();
  json.key("devices").begin_object().field("expected", shape.gpus + shape.lost);
  json.field("seen", shape.gpus).field("lost", shape.lost).end_object();
  json.end_object();
  out.pop_back();
  return out + fmt::format(R"(,"alerts":{},"events":{}}})", shape.alerts, shape.events);
}

inline const std::string kAlerts =
    R"([{"id":"a1","name":"GpuTooHot","state":"firing","severity":"critical","since":1731699000,
         "fired":1731699300,"resolved":null,"summary":"GPU 0 is too hot","attributes":{"gpu.uuid":"GPU-0000"}},
        {"id":"a2","name":"GpuIdle","state":"pending","severity":"warning","since":1731699900,"fired":null,
         "resolved":null,"summary":"GPU 3 idles","attributes":{"gpu.uuid":"GPU-0003"}}])";
inline const std::string kEvents =
    R"([{"time":1731699990.1,"name":"gpu.xid","severity":"error","message":"XID 79: GPU 5 fell off the bus",
         "attributes":{"gpu.uuid":"GPU-0005"}},
        {"time":1731699000,"name":"owner.changed","severity":"info","message":"GPU 1 went to ml/train-1",
         "attributes":{"gpu.uuid":"GPU-0001"}}])";

inline SteadyTime at(double seconds) {
  return SteadyTime{std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds))};
}

inline Update update_of(const NodeShape& shape) {
  return Update{.node = parse_node(document(shape))};
}

// Three seconds after the document.
inline Model model_of(const NodeShape& shape) {
  Model model({shape.host}, at(0));
  model.take(0, update_of(shape), at(1));
  model.tick(at(4));
  return model;
}

// Letters stand for themselves.
inline void press(Model& model, std::string_view keys) {
  for (const char key : keys) model.press({Key::Kind::character, static_cast<char32_t>(key)});
}

}  // namespace warpsight::top::test

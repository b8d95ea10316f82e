#include "ui/api/now_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/api/api_test_node.h"
#include "ui/api/json_document_test.h"

namespace warpsight {
namespace {

using namespace std::chrono_literals;
using test::ApiNode;
using test::part;
using ::testing::HasSubstr;
using ::testing::Not;

class NowJson : public ::testing::Test {
 protected:
  std::string now() {
    std::string out;
    append_now_json(out, {node_.registry_, node_.entities_, node_.basics_, node_.owners_, alerts_,
                          node_.engine_gpus_});
    return out;
  }
  identity::DeviceOwners owned(const char* uuid, const char* key, bool mig) {
    identity::DeviceOwners device;
    device.attributes = {{"gpu.uuid", "GPU-a"}, {key, uuid}};
    device.is_mig = mig;
    identity::DeviceOwner owner;
    owner.kind = OwnerKind::pod;
    owner.name = "ml/train/worker";
    owner.held_by = {"pod_resources"};
    owner.since = Time{1'699'990'000s};
    owner.busy = 12.5;
    owner.energy = 4e6;
    owner.processes.push_back({"4711", "python3"});
    device.owners.push_back(owner);
    return device;
  }

  ApiNode node_;
  std::vector<Alert> alerts_;
};

TEST_F(NowJson, ANodeWithNothingIsStillADocument) {
  EXPECT_EQ(part(now()), part(R"({"time": null, "interval": 10, "host": "node7", "version": "1.2.3",
      "uptime": 90, "simulated": false, "scenario": null, "gpus": [], "engines": [], "node": {},
      "devices": {}, "alerts": [], "events": []})"));
  node_.basics_.scenario = "8xh100";
  node_.publish();
  EXPECT_EQ(part(now(), "/simulated"), "true");
  EXPECT_EQ(part(now(), "/scenario"), "\"8xh100\"");
  EXPECT_EQ(part(now(), "/time"), part("1700000000"));
}

TEST_F(NowJson, AGpuShowsTheValuesThatWerePublishedAndNoOthers) {
  const EntityId gpu = node_.gpu("0", "GPU-a");
  node_.add(Metric::gpu_utilization, gpu, 0);
  node_.add(Metric::gpu_temperature, node_.facet(gpu, {{"gpu.temperature.sensor", "edge"}}), 61);
  node_.add(Metric::gpu_temperature, node_.facet(gpu, {{"gpu.temperature.sensor", "memory"}}), 80);
  node_.add(Metric::gpu_clock_frequency, node_.facet(gpu, {{"gpu.clock.type", "sm"}}), 1.98e9);
  node_.add(Metric::gpu_busy_time, gpu, 55);
  node_.publish();
  EXPECT_EQ(part(now(), "/gpus/0"), part(R"({"id": "GPU-a", "kind": "gpu", "parent": null,
      "index": "0", "model": "H100", "vendor": "nvidia",
      "attributes": {"gpu.index": "0", "gpu.uuid": "GPU-a", "gpu.model": "H100",
                     "gpu.vendor": "nvidia"},
      "values": {"gpu.utilization": 0, "gpu.temperature": 61, "gpu.clock.frequency": 1.98e9},
      "owners": [], "processes": [], "alerts": []})"));
  node_.clock_.advance(5min);
  node_.publish();
  EXPECT_EQ(part(now(), "/gpus/0/values"), "{}");
}

TEST_F(NowJson, InstancesStandBehindTheirGpuInTheirOrder) {
  const EntityId ten = node_.gpu("10", "GPU-k");
  const EntityId two = node_.gpu("2", "GPU-c");
  node_.mig(ten, "1", "MIG-k1");
  const EntityId late = node_.mig(two, "11", "MIG-c11");
  node_.mig(two, "9", "MIG-c9");
  node_.add(Metric::gpu_memory_used, late, 5e9);
  node_.publish();
  const std::string out = now();
  for (const auto& [place, id, parent, index] :
       std::vector<std::tuple<std::string, std::string, std::string, std::string>>{
           {"/gpus/0", "\"GPU-c\"", "null", "\"2\""},
           {"/gpus/1", "\"MIG-c9\"", "\"GPU-c\"", "\"2/9\""},
           {"/gpus/2", "\"MIG-c11\"", "\"GPU-c\"", "\"2/11\""},
           {"/gpus/3", "\"GPU-k\"", "null", "\"10\""},
           {"/gpus/4", "\"MIG-k1\"", "\"GPU-k\"", "\"10/1\""}}) {
    EXPECT_EQ(part(out, place + "/id"), id);
    EXPECT_EQ(part(out, place + "/parent"), parent);
    EXPECT_EQ(part(out, place + "/index"), index);
  }
  EXPECT_EQ(part(out, "/gpus/2/kind"), "\"mig\"");
  EXPECT_EQ(part(out, "/gpus/2/model"), "\"H100\"");
  EXPECT_EQ(part(out, "/gpus/2/values"), part(R"({"gpu.memory.used": 5e9})"));
}

TEST_F(NowJson, OwnersAndProcessesStandWithTheDeviceTheyAreOn) {
  const EntityId gpu = node_.gpu("0", "GPU-a");
  const EntityId mig = node_.mig(gpu, "1", "MIG-a1");
  const EntityId python = node_.process(mig, "4711", "python3");
  const EntityId stray = node_.process(mig, "9", "stray");
  node_.add(Metric::gpu_process_memory_used, stray, 1e9);
  node_.add(Metric::gpu_process_memory_used, python, 6e9);
  node_.add(Metric::gpu_process_utilization, node_.facet(python, {{"gpu.task.type", "compute"}}),
            0.9);
  node_.add(Metric::gpu_process_utilization, node_.facet(python, {{"gpu.task.type", "encoder"}}),
            0.1);
  node_.publish();
  node_.owners_.devices.push_back(owned("MIG-a1", "gpu.mig.uuid", true));
  const std::string out = now();
  EXPECT_EQ(part(out, "/gpus/0/owners"), "[]");
  EXPECT_EQ(part(out, "/gpus/0/processes"), "[]");
  EXPECT_EQ(part(out, "/gpus/1/owners"), part(R"([{"name": "ml/train/worker", "kind": "pod",
      "tenant": null, "held": true, "since": 1699990000, "utilization": null, "memory": null,
      "busy": 12.5, "energy": 4e6}])"));
  EXPECT_EQ(part(out, "/gpus/1/processes"), part(R"([
      {"pid": "4711", "name": "python3", "owner": "ml/train/worker", "memory": 6e9,
       "utilization": 0.9},
      {"pid": "9", "name": "stray", "owner": null, "memory": 1e9, "utilization": null}])"));
}

TEST_F(NowJson, AnOwnerThatWasNotGivenTheDeviceDoesNotHoldIt) {
  node_.gpu("0", "GPU-a");
  node_.publish();
  identity::DeviceOwners device = owned("GPU-a", "gpu.uuid", false);
  device.owners[0].held_by.clear();
  device.owners[0].tenant = "research";
  device.owners[0].utilization = 0.5;
  device.owners[0].since = {};
  node_.owners_.devices.push_back(device);
  const std::string out = now();
  EXPECT_EQ(part(out, "/gpus/0/owners/0/held"), "false");
  EXPECT_EQ(part(out, "/gpus/0/owners/0/tenant"), "\"research\"");
  EXPECT_EQ(part(out, "/gpus/0/owners/0/utilization"), part("0.5"));
  EXPECT_EQ(part(out, "/gpus/0/owners/0/since"), "null");
}

TEST_F(NowJson, ADeviceListsTheAlertsThatStandForIt) {
  const EntityId gpu = node_.gpu("0", "GPU-a");
  node_.gpu("1", "GPU-b");
  node_.mig(gpu, "1", "MIG-a1");
  node_.publish();
  alerts_.assign(3, test::firing_alert());
  alerts_[1].id = "of-the-instance";
  alerts_[1].attributes.push_back({"gpu.mig.uuid", "MIG-a1"});
  alerts_[2].id = "over";
  alerts_[2].state = AlertState::resolved;
  alerts_[2].silenced = true;
  const std::string out = now();
  EXPECT_EQ(part(out, "/gpus/0/alerts"), R"(["3f2a"])");
  EXPECT_EQ(part(out, "/gpus/1/alerts"), R"(["of-the-instance"])");
  EXPECT_EQ(part(out, "/gpus/2/alerts"), "[]");
  EXPECT_EQ(part(out, "/alerts/2/id"), "\"over\"");
  EXPECT_EQ(part(out, "/alerts/2/silenced"), "true");
}

TEST_F(NowJson, ADriverThatHangsForAllAnswersForNone) {
  const EntityId gpu = node_.gpu("0", "GPU-a");
  node_.add(Metric::gpu_driver_responsive, gpu, 1);
  const EntityId vendor = node_.facet(kNoEntity, {{"gpu.vendor", "nvidia"}});
  node_.add(Metric::gpu_driver_responsive, vendor, 1);
  node_.publish();
  EXPECT_EQ(part(now(), "/gpus/0/values"), part(R"({"gpu.driver.responsive": 1})"));
  node_.clock_.advance(10s);
  node_.publish();
  node_.add(Metric::gpu_driver_responsive, vendor, 0);
  node_.publish();
  EXPECT_EQ(part(now(), "/gpus/0/values"), part(R"({"gpu.driver.responsive": 0})"));
}

TEST_F(NowJson, AnEngineIsWhatAnswersAtOneAddress) {
  EntityTable& entities = node_.entities_;
  const EntityId up = entities.intern(
      EntityKind::engine, kNoEntity,
      {{"llm.engine", "vllm"}, {"server.address", "127.0.0.1:8000"}, {".endpoint", "found"}});
  const EntityId vllm = entities.intern(EntityKind::engine, kNoEntity,
                                        {{"llm.engine", "vllm"},
                                         {"llm.engine.version", "0.9.1"},
                                         {"server.address", "127.0.0.1:8000"}});
  const EntityId model = entities.intern(EntityKind::model, vllm, {{"model.name", "llama"}});
  const EntityId down = entities.intern(
      EntityKind::engine, kNoEntity,
      {{"llm.engine", "unknown"}, {"server.address", "127.0.0.1:9"}, {"error.type", "timeout"}});
  node_.add(Metric::llm_up, up, 1);
  node_.add(Metric::llm_up, down, 0);
  node_.add(Metric::llm_requests_running, model, 12);
  node_.add(Metric::llm_kv_cache_usage, vllm, 0.5);
  for (const auto& [latency, q, seconds] :
       std::vector<std::tuple<const char*, const char*, double>>{
           {"ttft", "0.5", 0.08}, {"ttft", "0.95", 0.25}, {"request", "0.5", 2}}) {
    node_.add(Metric::llm_latency_quantile,
              node_.facet(model, {{"llm.latency", latency}, {"q", q}}), seconds);
  }
  node_.publish();
  node_.engine_gpus_ = {{"127.0.0.1:8000", {"GPU-a"}}};
  EXPECT_EQ(part(now(), "/engines"), part(R"([
      {"id": "127.0.0.1:8000", "engine": "vllm", "version": "0.9.1", "up": true, "error": null,
       "attributes": {"server.address": "127.0.0.1:8000"}, "gpus": ["GPU-a"],
       "models": [
         {"name": "", "attributes": {"llm.engine": "vllm", "llm.engine.version": "0.9.1",
                                     "server.address": "127.0.0.1:8000"},
          "values": {"llm.kv_cache.usage": 0.5}, "latency": {}},
         {"name": "llama", "attributes": {"llm.engine": "vllm", "llm.engine.version": "0.9.1",
                                          "server.address": "127.0.0.1:8000",
                                          "model.name": "llama"},
          "values": {"llm.requests.running": 12},
          "latency": {"ttft": {"0.5": 0.08, "0.95": 0.25}, "request": {"0.5": 2}}}]},
      {"id": "127.0.0.1:9", "engine": "unknown", "version": null, "up": false, "error": "timeout",
       "attributes": {"server.address": "127.0.0.1:9"}, "models": []}])"));
}

TEST_F(NowJson, TheNodeAndHowManyGpusThereShouldBe) {
  const EntityId host = node_.entities_.intern(EntityKind::host, kNoEntity, {{"host", "x"}});
  for (const auto& [mode, share] : std::vector<std::pair<const char*, double>>{
           {"user", 0.25}, {"system", 0.125}, {"idle", 0.5}, {"iowait", 0.125}}) {
    node_.add(Metric::system_cpu_utilization, node_.facet(host, {{"cpu.mode", mode}}), share);
  }
  node_.add(Metric::system_cpu_load_average_1m, host, 12);
  for (const auto& [vendor, state, count] :
       std::vector<std::tuple<const char*, const char*, double>>{{"nvidia", "expected", 8},
                                                                 {"nvidia", "seen", 7},
                                                                 {"nvidia", "lost", 1},
                                                                 {"amd", "expected", 2},
                                                                 {"amd", "seen", 2},
                                                                 {"amd", "lost", 0}}) {
    node_.add(Metric::gpu_devices,
              node_.facet(kNoEntity, {{"gpu.state", state}, {"gpu.vendor", vendor}}), count);
  }
  node_.publish();
  EXPECT_EQ(part(now(), "/node"),
            part(R"({"system.cpu.utilization": 0.375, "system.cpu.load_average.1m": 12})"));
  EXPECT_EQ(part(now(), "/devices"), part(R"({"expected": 10, "seen": 9, "lost": 1})"));
}

TEST_F(NowJson, TheNewestFiftyEvents) {
  const EntityId gpu = node_.gpu("0", "GPU-a");
  for (int i = 0; i < 60; ++i) {
    node_.tell("gpu.xid", Severity::error, gpu, std::to_string(i));
  }
  node_.publish();
  EXPECT_EQ(part(now(), "/events/0/message"), "\"59\"");
  EXPECT_EQ(part(now(), "/events/0/attributes/gpu.uuid"), "\"GPU-a\"");
  EXPECT_EQ(part(now(), "/events/49/message"), "\"10\"");
  EXPECT_EQ(part(now(), "/events/50"), "nothing");
}

TEST_F(NowJson, ForeignTextCannotEndTheLineOrTheDocument) {
  const char* const hostile = "a\"b\\c\n\ndata: {}\r\n\xff</script>";
  node_.process(node_.gpu("0", hostile), "1", hostile);
  node_.tell(hostile, Severity::error, kNoEntity, hostile, {{hostile, hostile}});
  node_.basics_.host = hostile;
  alerts_.push_back(test::firing_alert());
  alerts_[0].summary = hostile;
  node_.publish();
  const std::string out = now();
  EXPECT_NE(part(out), "not JSON");
  EXPECT_THAT(out, Not(HasSubstr("\n")));
  EXPECT_THAT(out, Not(HasSubstr("\r")));
  EXPECT_THAT(out, Not(HasSubstr(".pci")));
}

TEST_F(NowJson, ADeviceWithoutAUuidIsNamedByItsPlace) {
  const EntityId gpu = node_.entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "3"}});
  node_.entities_.intern(EntityKind::mig, gpu, {{"gpu.mig.instance_id", "1"}});
  node_.publish();
  EXPECT_EQ(part(now(), "/gpus/0/id"), "\"index:3\"");
  EXPECT_EQ(part(now(), "/gpus/1/id"), "\"index:3/1\"");
  EXPECT_EQ(part(now(), "/gpus/1/parent"), "\"index:3\"");
}

}  // namespace
}  // namespace warpsight

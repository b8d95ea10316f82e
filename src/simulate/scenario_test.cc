#include "simulate/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace warpsight::simulate {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Scenario parsed(std::string_view text) {
  auto scenario = parse_scenario(text, "test.yaml");
  EXPECT_TRUE(scenario.has_value()) << describe(scenario.error());
  return scenario ? std::move(*scenario) : Scenario{};
}

std::string error_of(std::string_view text) {
  const auto scenario = parse_scenario(text, "test.yaml");
  EXPECT_FALSE(scenario.has_value());
  return scenario ? "" : describe(scenario.error());
}

TEST(Scenario, EveryBuiltinLoads) {
  EXPECT_GE(builtin_scenarios().size(), 7U);
  for (const BuiltinScenario& builtin : builtin_scenarios()) {
    const auto scenario = load_scenario(std::string(builtin.name));
    ASSERT_TRUE(scenario.has_value()) << describe(scenario.error());
    EXPECT_FALSE(scenario->gpus.empty()) << builtin.name;
    EXPECT_EQ(scenario->name, builtin.name);
    EXPECT_GT(builtin.summary.size(), 10U) << builtin.name;
  }
}

TEST(Scenario, UnknownNameListsTheValidOnes) {
  const auto scenario = load_scenario("8xh10");
  ASSERT_FALSE(scenario.has_value());
  EXPECT_THAT(scenario.error().message, HasSubstr("did you mean '8xh100'"));
  EXPECT_THAT(scenario.error().hint, HasSubstr("a100-mig"));
  EXPECT_THAT(scenario.error().hint, HasSubstr("t4"));
}

TEST(Scenario, MissingFileIsAnError) {
  EXPECT_FALSE(load_scenario("./no-such-file.yaml").has_value());
}

TEST(Scenario, FileIsReadByItsPath) {
  const std::string path = ::testing::TempDir() + "scenario_test.yaml";
  std::ofstream(path) << "gpus: [{model: t4}]\n";
  const auto scenario = load_scenario(path);
  std::remove(path.c_str());
  ASSERT_TRUE(scenario.has_value()) << describe(scenario.error());
  EXPECT_EQ(scenario->gpus.at(0).spec.name, "Tesla T4");
}

TEST(Scenario, GroupMakesThatManyGpusWithIdentitiesOfTheirOwn) {
  const Scenario scenario = parsed("gpus: [{count: 3, model: h100, serial: \"S{index}\"}]");
  ASSERT_EQ(scenario.gpus.size(), 3U);
  EXPECT_EQ(scenario.gpus[2].spec.serial, "S2");
  EXPECT_NE(scenario.gpus[0].spec.uuid, scenario.gpus[1].spec.uuid);
  EXPECT_NE(scenario.gpus[0].spec.pci_bus, scenario.gpus[1].spec.pci_bus);
  EXPECT_EQ(scenario.gpus[1].spec.minor, 1U);
}

TEST(Scenario, ParametersOverrideTheModel) {
  const Scenario scenario = parsed(R"(
gpus:
  - model: h200
    name: Prototype
    memory: {total: 64GiB, reserved: 512MiB}
    power: {idle: 50, limit: 350}
    temperature: {limits: margins}
    nvlink: {links: 4, peers: gpu}
    pci: "0001:c1:00.0"
)");
  const GpuSpec& spec = scenario.gpus.at(0).spec;
  EXPECT_EQ(spec.name, "Prototype");
  EXPECT_EQ(spec.memory, 64ULL << 30);
  EXPECT_EQ(spec.memory_reserved, 512ULL << 20);
  EXPECT_EQ(spec.power_limit, 350);
  EXPECT_EQ(spec.limits, TemperatureLimits::margins);
  EXPECT_EQ(spec.nvlinks, 4U);
  EXPECT_FALSE(spec.nvlink_switched);
  EXPECT_EQ(spec.pci_domain, 1U);
  EXPECT_EQ(spec.pci_bus, 0xc1U);
}

TEST(Scenario, LoadsOfAListGoRoundTheGroup) {
  const Scenario scenario = parsed("gpus: [{count: 3, load: [0.1, 0.7]}]");
  EXPECT_DOUBLE_EQ(scenario.gpus.at(1).load.value(0), 0.7);
  EXPECT_DOUBLE_EQ(scenario.gpus.at(2).load.value(0), 0.1);
}

TEST(Scenario, ReadingsFollowTimelinesValuesOrTheLoad) {
  const Scenario scenario = parsed(R"(
gpus:
  - load: {steps: [[0, 0], [10s, 1]]}
    readings:
      power: {every: 500ms, values: [80.5, 81, 690], repeat: true}
      dram_active: {load: 0.5, base: 0.1}
      temperature: 42
)");
  const Gpu& gpu = scenario.gpus.at(0);
  const auto at = [&gpu](Reading reading, Seconds t) {
    return gpu.readings[index_of(reading)]->value(t);
  };
  EXPECT_DOUBLE_EQ(at(Reading::power, 0.6), 81);
  EXPECT_DOUBLE_EQ(at(Reading::power, 1.6), 80.5);
  EXPECT_DOUBLE_EQ(at(Reading::dram_active, 20), 0.6);
  EXPECT_DOUBLE_EQ(at(Reading::temperature, 3), 42);
}

TEST(Scenario, MigInstancesTakeTheirShapeFromTheProfile) {
  const Scenario scenario = parsed(R"(
gpus:
  - model: a100
    mig:
      - {profile: 3g.40gb, gi: 2, load: 1}
      - {profile: 1c.2g.20gb, gi: 3, ci: 1}
)");
  const Gpu& gpu = scenario.gpus.at(0);
  ASSERT_EQ(gpu.mig.size(), 2U);
  EXPECT_TRUE(gpu.mig_enabled);
  EXPECT_EQ(gpu.mig[0].gpu_slices, 3U);
  EXPECT_EQ(gpu.mig[0].multiprocessors, 42U);
  EXPECT_EQ(gpu.mig[1].compute_slices, 1U);
  EXPECT_GT(gpu.mig[0].memory, 37ULL << 30);
  EXPECT_NEAR(gpu.load.value(0), 3.0 / 7, 1e-9) << "the whole GPU is as busy as its instances";
}

TEST(Scenario, ProcessesAndFaultsReachTheirGpus) {
  const Scenario scenario = parsed(R"(
gpus: [{count: 4}]
processes:
  - {gpu: [1, 3], pid: 77, memory: 2GiB, sm: 0.5, from: 10s, until: 1m}
  - {gpu: 0, pid: self, type: graphics}
faults:
  - {fault: slow, at: 5s, for: 10s, gpu: 2, call: nvmlDeviceGetPower*, delay: 3s}
  - {fault: error, error: NVML_ERROR_RESET_REQUIRED}
)");
  EXPECT_EQ(scenario.gpus[1].processes.at(0).pid, 77U);
  EXPECT_EQ(scenario.gpus[3].processes.at(0).until, 60);
  EXPECT_TRUE(scenario.gpus[2].processes.empty());
  EXPECT_EQ(scenario.gpus[0].processes.at(0).pid, kOwnPid);
  EXPECT_EQ(scenario.faults[0].gpus, 4U);
  EXPECT_TRUE(scenario.faults[0].functions.test(index_of(Function::nvmlDeviceGetPowerUsage)));
  EXPECT_FALSE(scenario.faults[0].functions.test(index_of(Function::nvmlDeviceGetName)));
  EXPECT_EQ(scenario.faults[1].error, 16U);
}

TEST(Scenario, OwnersHoldGpusAndHaveProcesses) {
  const Scenario scenario = parsed(R"(
gpus: [{count: 2}, {mig: [{profile: 1g.10gb}, {profile: 2g.20gb}]}]
owners:
  - {kind: slurm_job, gpu: [0, 1], pids: [71, 72], attributes: {slurm.job.id: 7, slurm.user: ada}}
  - {gpu: 2, mig: 1, attributes: {k8s.pod.name: web-0}}
)");
  ASSERT_EQ(scenario.owners.size(), 2U);
  const ScenarioOwner& job = scenario.owners[0];
  EXPECT_EQ(job.kind, OwnerKind::slurm_job);
  EXPECT_EQ(job.gpus, 0b011U);
  EXPECT_EQ(job.mig, -1);
  EXPECT_EQ(job.pids, (std::vector<std::uint32_t>{71, 72}));
  EXPECT_EQ(job.attributes, (std::vector<Attribute>{{"slurm.job.id", "7"}, {"slurm.user", "ada"}}));
  const ScenarioOwner& pod = scenario.owners[1];
  EXPECT_EQ(pod.kind, OwnerKind::pod);
  EXPECT_EQ(pod.gpus, 0b100U);
  EXPECT_EQ(pod.mig, 1);
}

TEST(Scenario, UnknownKeyNamesTheLineAndTheNearestKey) {
  const std::string error = error_of("gpus:\n  - model: h100\n    laod: 0.5\n");
  EXPECT_THAT(error, StartsWith("test.yaml:3: "));
  EXPECT_THAT(error, HasSubstr("unknown key 'laod'"));
  EXPECT_THAT(error, HasSubstr("did you mean 'load'?"));
}

TEST(Scenario, ErrorsSayWhatIsWrongAndWhere) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"gpus: [{model: h300}]", "did you mean 'h100'?"},
      {"gpus: [{count: 65}]", "0 to 64"},
      {"gpus: [{count: 40}, {count: 40}]", "at most 64 GPUs"},
      {"gpus: [{load: 1.5}]", "'1.5' is not a number of 0 to 1"},
      {"gpus: [{load: {wave: {min: 0, max: 2}}}]", "'2' is not a number"},
      {"gpus: [{load: {sum: [0.7, 0.7]}}]", "the sum can leave"},
      {"gpus: [{load: {steps: [[5, 0], [5, 1]]}}]", "must ascend"},
      {"gpus: [{load: {steps: [[1, 0]], repeat: 9}}]", "begins at 0"},
      {"gpus: [{load: {wave: {}, every: 3}}]", "'every' does not go with 'wave'"},
      {"gpus: [{readings: {pwoer: 1}}]", "did you mean 'power'?"},
      {"gpus: [{pci: nonsense}]", "not a PCI address"},
      {"gpus: [{count: 2, pci: \"0000:01:00.0\"}]", "same PCI address"},
      {"gpus: [{count: 2, uuid: GPU-1}]", "same uuid"},
      {"gpus: [{mig: [{profile: huge}]}]", "needs a profile"},
      {"gpus: [{mig: [{profile: 4g.40gb}, {profile: 4g.40gb}]}]", "more than 7 slices"},
      {"gpus: [{unsupported: [nvmlDeviceGetNme]}]", "did you mean 'nvmlDeviceGetName'?"},
      {"gpus: [{}]\nprocesses: [{gpu: 1}]", "test.yaml:2"},
      {"gpus: [{}]\nprocesses: [{mig: 0}]", "no MIG instances"},
      {"faults: [{fault: hnag}]", "did you mean 'hang'?"},
      {"faults: [{fault: error}]", "needs 'error'"},
      {"faults: [{fault: lost, call: nvmlInit_v2}]", "'call' does not go with this fault"},
      {"faults: [{fault: error, error: GPU_LOST}]", "unknown value"},
      {"name: a\nname: b", "given twice"},
      {"processes_from: list.txt", "is not an absolute path"},
      {"owners: [{kind: pdo}]", "did you mean 'pod'?"},
      {"owners: [{kind: slurm_job}]", "needs the attribute slurm.job.id"},
      {"owners: [{attributes: {pod: a}}]", "is no attribute of an owner"},
      {"owners: [{attributes: {k8s.pod.name: a, k8s.pod.name: b}}]", "is given twice"},
      {"owners: [{attributes: [k8s.pod.name]}]", "a map of at most 32 attributes"},
      {"gpus: [{}]\nowners: [{gpu: 0, mig: 0, attributes: {k8s.pod.name: a}}]", "no MIG instances"},
      {"driver: [1]", "keys with values"},
      {"", "is empty"},
      {"gpus: {", "test.yaml:1"},
      {"gpus: &a [*a]", "test.yaml:1"},
  };
  for (const auto& [text, wanted] : cases) EXPECT_THAT(error_of(text), HasSubstr(wanted)) << text;
}

TEST(Scenario, TooLargeATextIsRefused) {
  const std::string text(kMaxScenarioBytes + 1, '#');
  EXPECT_THAT(error_of(text), HasSubstr("larger than 4 MiB"));
}

TEST(Scenario, DeepNestingIsRefused) {
  EXPECT_THAT(error_of("gpus: " + std::string(100, '[') + std::string(100, ']')),
              HasSubstr("nested too deeply"));
}

TEST(Scenario, TimelinePointsAreBoundedOverAllGpus) {
  std::string values = "[0";
  for (int i = 0; i < 5000; ++i) values += ",1";
  const std::string text = "gpus: [{count: 64, load: {values: " + values + "]}}]";
  EXPECT_THAT(error_of(text), HasSubstr("timeline points"));
}

}  // namespace
}  // namespace warpsight::simulate

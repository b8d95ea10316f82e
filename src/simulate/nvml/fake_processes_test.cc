#include <unistd.h>

#include <array>
#include <cmath>

#include "simulate/nvml/fake_for_test.h"

namespace warpsight::nvml::abi {
namespace {

constexpr const char* kMig = R"(
gpus:
  - model: h100
    mig:
      - {profile: 3g.40gb, gi: 1, load: 0.8}
      - {profile: 1g.10gb, gi: 9, load: 0.2}
processes:
  - {gpu: 0, mig: 0, pid: 500, memory: 20GiB, sm: 1}
  - {gpu: 0, mig: 1, pid: 501, memory: 4GiB, sm: 1}
)";

TEST_F(FakeNvml, ProcessListAsksForEnoughRoom) {
  play("gpus: [{}]\nprocesses: [{pid: 10, memory: 1GiB}, {pid: self, memory: 2GiB}]");
  unsigned count = 0;
  EXPECT_EQ(fake().nvmlDeviceGetComputeRunningProcesses_v3(device(), &count, nullptr),
            Return::insufficient_size);
  EXPECT_EQ(count, 2U);
  std::array<ProcessInfo, 4> list{};
  count = list.size();
  ASSERT_EQ(fake().nvmlDeviceGetComputeRunningProcesses_v3(device(), &count, list.data()),
            Return::success);
  ASSERT_EQ(count, 2U);
  EXPECT_EQ(list[0].pid, 10U);
  EXPECT_EQ(list[0].gpu_instance_id, kNoInstance);
  EXPECT_EQ(list[1].pid, static_cast<unsigned>(getpid()));
  EXPECT_EQ(list[1].used_gpu_memory, 2ULL << 30);
  count = 0;
  EXPECT_EQ(fake().nvmlDeviceGetGraphicsRunningProcesses_v3(device(), &count, nullptr),
            Return::success);
}

TEST_F(FakeNvml, MpsClientsAreOnBothLists) {
  play("gpus: [{}]\nprocesses: [{pid: 10, type: mps}, {pid: 11}]");
  std::array<ProcessInfo, 4> list{};
  unsigned count = list.size();
  ASSERT_EQ(fake().nvmlDeviceGetMPSComputeRunningProcesses_v3(device(), &count, list.data()),
            Return::success);
  EXPECT_EQ(count, 1U);
  count = list.size();
  fake().nvmlDeviceGetComputeRunningProcesses_v3(device(), &count, list.data());
  EXPECT_EQ(count, 2U);
}

TEST_F(FakeNvml, ProcessesComeAndGoUnderNewPids) {
  play("gpus: [{}]\nprocesses: [{pid: 1000, from: 100, every: 10s, alive: 4s, name: job}]");
  const auto pid = [&] {
    std::array<ProcessInfo, 2> list{};
    unsigned count = list.size();
    fake().nvmlDeviceGetComputeRunningProcesses_v3(device(), &count, list.data());
    return count == 0 ? 0U : list[0].pid;
  };
  EXPECT_EQ(pid(), 1000U);
  char name[16] = "";
  EXPECT_EQ(fake().nvmlSystemGetProcessName(1000, name, sizeof name), Return::success);
  EXPECT_STREQ(name, "job");
  fake().advance(5);
  EXPECT_EQ(pid(), 0U);
  fake().advance(6);
  EXPECT_EQ(pid(), 1001U);
  EXPECT_EQ(fake().nvmlSystemGetProcessName(1000, name, sizeof name), Return::not_found);
}

TEST_F(FakeNvml, ProcessUtilizationIsItsShareSinceLastSeen) {
  play("gpus: [{load: 0.8}]\nprocesses: [{pid: 10, sm: 0.75}, {pid: 11, sm: 0}]");
  unsigned count = 0;
  EXPECT_EQ(fake().nvmlDeviceGetProcessUtilization(device(), nullptr, &count, 0),
            Return::insufficient_size);
  EXPECT_EQ(count, 72U);
  std::array<ProcessUtilizationSample, 8> list{};
  count = list.size();
  ASSERT_EQ(fake().nvmlDeviceGetProcessUtilization(device(), list.data(), &count, 0),
            Return::success);
  ASSERT_EQ(count, 1U) << "a process that did nothing is left out";
  EXPECT_EQ(list[0].pid, 10U);
  EXPECT_EQ(list[0].sm, 60U);
  const auto last = list[0].time_us;
  count = list.size();
  EXPECT_EQ(fake().nvmlDeviceGetProcessUtilization(device(), list.data(), &count, last),
            Return::not_found);
  ProcessesUtilizationInfo info{};
  EXPECT_EQ(fake().nvmlDeviceGetProcessesUtilizationInfo(device(), &info),
            Return::argument_version_mismatch);
}

TEST_F(FakeNvml, MigInstanceHasMemoryNameAndProcessesOfItsOwn) {
  play(kMig);
  unsigned current = 0;
  unsigned pending = 0;
  ASSERT_EQ(fake().nvmlDeviceGetMigMode(device(), &current, &pending), Return::success);
  EXPECT_EQ(current, 1U);
  Device mig = nullptr;
  Device none = nullptr;
  ASSERT_EQ(fake().nvmlDeviceGetMigDeviceHandleByIndex(device(), 1, &mig), Return::success);
  EXPECT_EQ(fake().nvmlDeviceGetMigDeviceHandleByIndex(device(), 2, &none), Return::not_found);
  char text[kNameBuffer] = "";
  ASSERT_EQ(fake().nvmlDeviceGetName(mig, text, sizeof text), Return::success);
  EXPECT_STREQ(text, "NVIDIA H100 80GB HBM3 MIG 1g.10gb");
  unsigned id = 0;
  ASSERT_EQ(fake().nvmlDeviceGetGpuInstanceId(mig, &id), Return::success);
  EXPECT_EQ(id, 9U);
  Device parent = nullptr;
  ASSERT_EQ(fake().nvmlDeviceGetDeviceHandleFromMigDeviceHandle(mig, &parent), Return::success);
  EXPECT_EQ(parent, device());
  MemoryV2 memory{};
  memory.version = kMemoryV2;
  ASSERT_EQ(fake().nvmlDeviceGetMemoryInfo_v2(mig, &memory), Return::success);
  EXPECT_EQ(memory.used, 4ULL << 30);
  EXPECT_LT(memory.total, 10ULL << 30);
  std::array<ProcessInfo, 4> list{};
  unsigned count = list.size();
  fake().nvmlDeviceGetComputeRunningProcesses_v3(mig, &count, list.data());
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(list[0].pid, 501U);
  EXPECT_EQ(list[0].gpu_instance_id, 9U);
}

TEST_F(FakeNvml, UtilizationIsNotKnownInMigModeButPowerIs) {
  play(kMig);
  Utilization utilization{};
  EXPECT_EQ(fake().nvmlDeviceGetUtilizationRates(device(), &utilization), Return::not_supported);
  EXPECT_TRUE(samples(device(), SamplingType::gpu_utilization, 0).empty());
  EXPECT_FALSE(samples(device(), SamplingType::total_power, 0).empty());
  unsigned count = 0;
  EXPECT_EQ(fake().nvmlDeviceGetProcessUtilization(device(), nullptr, &count, 0),
            Return::not_supported);
  EXPECT_GT(milliwatts(device()), 200'000U);
}

class FakeGpm : public FakeNvml {
 protected:
  // The metric between two moments `seconds` apart; gi kNoInstance: of the whole GPU.
  static GpmMetric between(double seconds, unsigned id, unsigned gi = kNoInstance) {
    static GpmMetricsGet query;
    query = {};
    query.version = kGpmMetricsGetVersion;
    query.count = 1;
    query.metrics[0].id = id;
    query.metrics[0].result = Return::unknown;
    fake().nvmlGpmSampleAlloc(&query.first);
    fake().nvmlGpmSampleAlloc(&query.second);
    take(gi, query.first);
    fake().advance(seconds);
    take(gi, query.second);
    EXPECT_EQ(fake().nvmlGpmMetricsGet(&query), Return::success);
    fake().nvmlGpmSampleFree(query.first);
    fake().nvmlGpmSampleFree(query.second);
    return query.metrics[0];
  }

  static void take(unsigned gi, GpmSample sample) {
    const Return result = gi == kNoInstance ? fake().nvmlGpmSampleGet(device(), sample)
                                            : fake().nvmlGpmMigSampleGet(device(), gi, sample);
    EXPECT_EQ(result, Return::success);
  }
};

TEST_F(FakeGpm, MetricIsTheMeanBetweenTheSamples) {
  play(
      "gpus: [{load: {steps: [[0, 0], [105, 1]]}, readings: {sm_active: {load: 0.9}, pcie_rx: "
      "1048576}}]");
  EXPECT_NEAR(between(10, gpm::kSmUtil).value, 45, 1e-6);
  const GpmMetric rate = between(2, gpm::kPcieRx);
  EXPECT_NEAR(rate.value, 1, 1e-9);
  EXPECT_STREQ(rate.info.unit, "MiB/s");
}

TEST_F(FakeGpm, MigSampleIsOfTheInstance) {
  play(kMig);
  EXPECT_NEAR(between(1, gpm::kGraphicsUtil, 1).value, 99 * 0.8, 1e-6);
  EXPECT_NEAR(between(1, gpm::kGraphicsUtil, 9).value, 99 * 0.2, 1e-6);
  GpmSample sample = nullptr;
  fake().nvmlGpmSampleAlloc(&sample);
  EXPECT_EQ(fake().nvmlGpmMigSampleGet(device(), 5, sample), Return::invalid_argument);
  fake().nvmlGpmSampleFree(sample);
}

TEST_F(FakeGpm, OneUnknownMetricOrOneSampleTwiceIsRefused) {
  play("gpus: [{}]");
  static GpmMetricsGet query;
  query = {};
  query.version = kGpmMetricsGetVersion;
  query.count = 2;
  query.metrics[0].id = gpm::kSmUtil;
  query.metrics[1].id = 14;
  fake().nvmlGpmSampleAlloc(&query.first);
  fake().nvmlGpmSampleAlloc(&query.second);
  take(kNoInstance, query.first);
  EXPECT_EQ(fake().nvmlGpmMetricsGet(&query), Return::invalid_argument) << "second never taken";
  take(kNoInstance, query.second);
  EXPECT_EQ(fake().nvmlGpmMetricsGet(&query), Return::invalid_argument) << "unknown metric";
  query.count = 1;
  EXPECT_EQ(fake().nvmlGpmMetricsGet(&query), Return::success);
  query.version = 2;
  EXPECT_EQ(fake().nvmlGpmMetricsGet(&query), Return::argument_version_mismatch);
  fake().nvmlGpmSampleFree(query.first);
  fake().nvmlGpmSampleFree(query.second);
}

}  // namespace
}  // namespace warpsight::nvml::abi

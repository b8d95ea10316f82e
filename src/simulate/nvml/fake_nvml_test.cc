#include <cmath>
#include <cstring>

#include "simulate/nvml/fake_for_test.h"
#include "tests/places.h"

namespace warpsight::nvml::abi {
namespace {

constexpr const char* kBusy =
    "gpus: [{model: h100, load: {wave: {min: 0.2, max: 0.9, period: 20}}}]";

TEST_F(FakeNvml, TellsThatItIsAFake) { EXPECT_EQ(fake().marker(), 1); }

TEST_F(FakeNvml, AnswersNothingBeforeInitOrAfterShutdown) {
  unsigned count = 0;
  EXPECT_EQ(fake().nvmlDeviceGetCount_v2(&count), Return::uninitialized);
  EXPECT_EQ(fake().nvmlShutdown(), Return::uninitialized);
  play("gpus: [{}]");
  EXPECT_EQ(fake().nvmlInit_v2(), Return::success) << "users are counted";
  EXPECT_EQ(fake().nvmlShutdown(), Return::success);
  EXPECT_EQ(fake().nvmlDeviceGetCount_v2(&count), Return::success);
  EXPECT_EQ(fake().nvmlShutdown(), Return::success);
  EXPECT_EQ(fake().nvmlDeviceGetCount_v2(&count), Return::uninitialized);
}

TEST_F(FakeNvml, PlaysTheScenarioOfTheEnvironment) {
  ASSERT_EQ(setenv("WARPSIGHT_SCENARIO", "t4", 1), 0);  // NOLINT(concurrency-mt-unsafe)
  ASSERT_EQ(fake().nvmlInit_v2(), Return::success);
  EXPECT_STREQ(fake().scenario(), "t4");
  unsetenv("WARPSIGHT_SCENARIO");  // NOLINT(concurrency-mt-unsafe)
}

TEST_F(FakeNvml, FindsADeviceByIndexUuidAndPciAddress) {
  play("gpus: [{count: 2, pci: [\"0000:1b:00.0\", \"0000:43:00.0\"]}]");
  char uuid[kUuidBuffer] = "";
  ASSERT_EQ(fake().nvmlDeviceGetUUID(device(1), uuid, sizeof uuid), Return::success);
  Device found = nullptr;
  EXPECT_EQ(fake().nvmlDeviceGetHandleByUUID(uuid, &found), Return::success);
  EXPECT_EQ(found, device(1));
  EXPECT_EQ(fake().nvmlDeviceGetHandleByPciBusId_v2("00000000:43:00.0", &found), Return::success);
  EXPECT_EQ(found, device(1));
  EXPECT_EQ(fake().nvmlDeviceGetHandleByPciBusId_v2("0000:99:00.0", &found), Return::not_found);
  EXPECT_EQ(fake().nvmlDeviceGetHandleByIndex_v2(2, &found), Return::invalid_argument);
  PciInfo pci{};
  EXPECT_EQ(fake().nvmlDeviceGetPciInfo_v3(device(0), &pci), Return::success);
  EXPECT_STREQ(pci.bus_id, "00000000:1B:00.0");
  EXPECT_STREQ(pci.bus_id_legacy, "0000:1B:00.0");
}

TEST_F(FakeNvml, RefusesForeignHandlesAndNullArguments) {
  play("gpus: [{}]");
  unsigned value = 0;
  EXPECT_EQ(fake().nvmlDeviceGetPowerUsage(nullptr, &value), Return::invalid_argument);
  int thing = 0;
  EXPECT_EQ(fake().nvmlDeviceGetPowerUsage(reinterpret_cast<Device>(&thing), &value),
            Return::invalid_argument);
  EXPECT_EQ(fake().nvmlDeviceGetPowerUsage(device(), nullptr), Return::invalid_argument);
}

TEST_F(FakeNvml, StringThatDoesNotFitIsRefused) {
  play("gpus: [{}]");
  char name[4] = "";
  EXPECT_EQ(fake().nvmlDeviceGetName(device(), name, sizeof name), Return::insufficient_size);
}

TEST_F(FakeNvml, ReservedMemoryIsUsedInTheOldQueryAndApartInTheNew) {
  play("gpus: [{model: h100}]\nprocesses: [{memory: 10GiB}]");
  Memory old{};
  ASSERT_EQ(fake().nvmlDeviceGetMemoryInfo(device(), &old), Return::success);
  MemoryV2 memory{};
  EXPECT_EQ(fake().nvmlDeviceGetMemoryInfo_v2(device(), &memory), Return::function_not_found);
  memory.version = kMemoryV2;
  ASSERT_EQ(fake().nvmlDeviceGetMemoryInfo_v2(device(), &memory), Return::success);
  EXPECT_EQ(memory.used, 10ULL << 30);
  EXPECT_EQ(old.used, memory.used + memory.reserved);
  EXPECT_EQ(memory.total, memory.used + memory.reserved + memory.free);
  EXPECT_EQ(old.free, memory.free);
}

TEST_F(FakeNvml, EnergyIsTheIntegralOfThePowerSamples) {
  play(kBusy);
  unsigned long long before = 0;
  ASSERT_EQ(fake().nvmlDeviceGetTotalEnergyConsumption(device(), &before), Return::success);
  unsigned long long last = samples(device(), SamplingType::total_power, 0).back().time_us;
  double joules = 0;
  for (int i = 0; i < 20; ++i) {
    fake().advance(2);
    const auto drained = samples(device(), SamplingType::total_power, last);
    ASSERT_EQ(drained.size(), 100U);
    for (const Sample& sample : drained) joules += sample.value.uint32 * 1e-3 * 0.02;
    last = drained.back().time_us;
  }
  unsigned long long after = 0;
  ASSERT_EQ(fake().nvmlDeviceGetTotalEnergyConsumption(device(), &after), Return::success);
  EXPECT_NEAR(static_cast<double>(after - before) * 1e-3, joules, 0.05);
}

TEST_F(FakeNvml, SampleBuffersHaveTheDriversShape) {
  play(kBusy);
  ValueType type{};
  unsigned count = 0;
  ASSERT_EQ(
      fake().nvmlDeviceGetSamples(device(), SamplingType::total_power, 0, &type, &count, nullptr),
      Return::success);
  EXPECT_EQ(count, 120U);
  const auto power = samples(device(), SamplingType::total_power, 0);
  ASSERT_EQ(power.size(), 119U);
  EXPECT_EQ(power[1].time_us - power[0].time_us, 20'000U);
  const auto utilization = samples(device(), SamplingType::gpu_utilization, 0);
  ASSERT_EQ(utilization.size(), 71U);
  EXPECT_EQ(utilization[1].time_us - utilization[0].time_us, 200'000U);
  EXPECT_LE(utilization.back().value.uint32, 100U);
}

TEST_F(FakeNvml, SamplesAlreadySeenAreNotGivenAgain) {
  play(kBusy);
  const auto first = samples(device(), SamplingType::total_power, 0);
  EXPECT_TRUE(samples(device(), SamplingType::total_power, first.back().time_us).empty());
  fake().advance(0.1);
  EXPECT_EQ(samples(device(), SamplingType::total_power, first.back().time_us).size(), 5U);
  // A small buffer takes the oldest ones.
  ValueType type{};
  unsigned count = 2;
  Sample two[2];
  ASSERT_EQ(fake().nvmlDeviceGetSamples(device(), SamplingType::total_power, first.back().time_us,
                                        &type, &count, two),
            Return::success);
  EXPECT_EQ(two[0].time_us, first.back().time_us + 20'000);
}

TEST_F(FakeNvml, ThrottleTimeGrowsWhileTheCapHolds) {
  play("gpus: [{load: {steps: [[0, 0.5], [100, 1], [110, 0.5]]}}]");
  const auto held = [&] { return field(device(), field::kClocksEventSwPowerCap).value.uint64; };
  const auto start = held();
  unsigned long long reasons = 0;
  fake().advance(5);
  fake().nvmlDeviceGetCurrentClocksEventReasons(device(), &reasons);
  EXPECT_EQ(reasons, clocks_event::kSwPowerCap);
  EXPECT_EQ(held() - start, 5'000'000'000U);
  fake().advance(100);
  EXPECT_EQ(held() - start, 10'000'000'000U);
  fake().nvmlDeviceGetCurrentClocksThrottleReasons(device(), &reasons);
  EXPECT_EQ(reasons, 0U);
}

TEST_F(FakeNvml, LinkBytesAreCumulativeKibibytesByLinkAndInAll) {
  play("gpus: [{model: h100, readings: {nvlink_tx: 18432000}}]");
  const auto all = field(device(), field::kNvLinkDataTx, field::kAllLinks);
  const auto one = field(device(), field::kNvLinkDataTx, 17);
  fake().advance(10);
  EXPECT_EQ(field(device(), field::kNvLinkDataTx, field::kAllLinks).value.uint64 - all.value.uint64,
            180'000U);
  EXPECT_EQ(field(device(), field::kNvLinkDataTx, 17).value.uint64 - one.value.uint64, 10'000U);
  EXPECT_EQ(field(device(), field::kNvLinkDataTx, 18).result, Return::invalid_argument);
}

TEST_F(FakeNvml, PcieBytesAre32BitsWideAndWrap) {
  play("driver: {uptime: 0}\ngpus: [{readings: {pcie_tx: 1.0e9}}]");
  const FieldValue value = field(device(), field::kPcieTxBytes);
  EXPECT_EQ(value.value_type, ValueType::uint32);
  EXPECT_EQ(value.value.uint32, static_cast<unsigned>(100'000'000'000ULL % (1ULL << 32)));
}

TEST_F(FakeNvml, FieldsAnswerEachForThemselves) {
  play("gpus: [{model: h200, nvlink: {links: 0}, fabric: false, unsupported: [\"field:230\"]}]");
  EXPECT_EQ(field(device(), field::kSlowdownMargin).value.int32, -2);
  EXPECT_EQ(field(device(), field::kShutdownMargin).value.int32, -8);
  EXPECT_EQ(field(device(), field::kNvLinkDataTx).result, Return::not_supported);
  EXPECT_EQ(field(device(), field::kGpuRecoveryAction).result, Return::not_supported);
  EXPECT_EQ(field(device(), 5000).result, Return::invalid_argument);
  EXPECT_EQ(field(device(), field::kNvSwitchConnectedLinks).result, Return::unknown)
      << "left untouched, as the driver does";
  EXPECT_EQ(field(device(), field::kPowerAverage, field::kPowerScopeMemory).result,
            Return::success);
  EXPECT_EQ(field(device(), field::kPowerInstant, field::kPowerScopeMemory).result,
            Return::not_supported);
}

TEST_F(FakeNvml, TemperatureMarginAndLimitsAgree) {
  play("gpus: [{model: h200, readings: {temperature: 37}}]");
  MarginTemperature margin{kMarginTemperatureV1, 0};
  ASSERT_EQ(fake().nvmlDeviceGetMarginTemperature(device(), &margin), Return::success);
  unsigned limit = 0;
  ASSERT_EQ(
      fake().nvmlDeviceGetTemperatureThreshold(device(), TemperatureThreshold::gpu_max, &limit),
      Return::success);
  EXPECT_EQ(margin.celsius, static_cast<int>(limit) - 37);
}

TEST_F(FakeNvml, OlderModelLacksWhatItLacks) {
  play("gpus: [{model: t4}]");
  MarginTemperature margin{kMarginTemperatureV1, 0};
  EXPECT_EQ(fake().nvmlDeviceGetMarginTemperature(device(), &margin), Return::not_supported);
  RowRemapperHistogram histogram{};
  EXPECT_EQ(fake().nvmlDeviceGetRowRemapperHistogram(device(), &histogram), Return::not_supported);
  EnableState state{};
  EXPECT_EQ(fake().nvmlDeviceGetNvLinkState(device(), 0, &state), Return::not_supported);
  GpmSupport support{kGpmSupportVersion, 1};
  ASSERT_EQ(fake().nvmlGpmQueryDeviceSupport(device(), &support), Return::success);
  EXPECT_EQ(support.supported, 0U);
  unsigned pages = 0;
  EXPECT_EQ(
      fake().nvmlDeviceGetRetiredPages(device(), PageRetirementCause::double_bit, &pages, nullptr),
      Return::success);
}

TEST_F(FakeNvml, RecordedValuesAreReplayedOneByOne) {
  play(
      "clock: {epoch: 1700000000}\n"
      "gpus: [{readings: {power: {every: 1s, values: [80, 81, 690]}, energy: {every: 1s, values: "
      "[5, 6, 7]}}}]");
  fake().manual_clock(0.5);
  EXPECT_EQ(samples(device(), SamplingType::total_power, 0).back().value.uint32, 80'000U);
  fake().manual_clock(2.5);
  EXPECT_EQ(samples(device(), SamplingType::total_power, 0).back().value.uint32, 690'000U);
  EXPECT_EQ(samples(device(), SamplingType::total_power, 0).back().time_us, 1'700'000'002'500'000U);
  unsigned long long energy = 0;
  ASSERT_EQ(fake().nvmlDeviceGetTotalEnergyConsumption(device(), &energy), Return::success);
  EXPECT_EQ(energy, 7000U);
}

TEST_F(FakeNvml, NumbersBeyondAllBoundsAreSaturated) {
  play("gpus: [{readings: {temperature: 1.0e18, pcie_replays: -5, nvlink_tx: 1.0e18}}]");
  unsigned value = 0;
  ASSERT_EQ(fake().nvmlDeviceGetTemperature(device(), TemperatureSensor::gpu, &value),
            Return::success);
  EXPECT_EQ(value, 0xffffffffU);
  ASSERT_EQ(fake().nvmlDeviceGetPcieReplayCounter(device(), &value), Return::success);
  EXPECT_EQ(value, 0U);
  EXPECT_EQ(field(device(), field::kNvLinkDataTx, field::kAllLinks).result, Return::success);
}

TEST_F(FakeNvml, CallsAreCounted) {
  play("gpus: [{}]");
  fake().reset_calls();
  milliwatts(device());
  milliwatts(device());
  EXPECT_EQ(fake().calls("nvmlDeviceGetPowerUsage"), 2U);
  EXPECT_EQ(fake().calls("nvmlDeviceGetName"), 0U);
  EXPECT_EQ(fake().calls(nullptr), 4U);
}

TEST_F(FakeNvml, OldLibraryLacksTheNewerSymbols) {
  std::string path = WARPSIGHT_FAKE_NVML;
  path.replace(path.rfind("libnvidia-ml"), std::string::npos, "libnvidia-ml-old.so.1");
  const FakeLibrary old(path);
  ASSERT_NE(old.handle, nullptr) << "cannot load " << path;
  EXPECT_NE(old.nvmlDeviceGetMemoryInfo, nullptr);
  EXPECT_EQ(old.nvmlDeviceGetMemoryInfo_v2, nullptr);
  EXPECT_EQ(old.nvmlDeviceGetComputeRunningProcesses_v3, nullptr);
  EXPECT_EQ(old.nvmlDeviceGetCurrentClocksEventReasons, nullptr);
  EXPECT_EQ(old.nvmlGpmSampleGet, nullptr);
  EXPECT_EQ(old.nvmlEventSetWait_v2, nullptr);
  EXPECT_EQ(old.marker(), 1);
}

}  // namespace
}  // namespace warpsight::nvml::abi

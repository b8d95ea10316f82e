#include <chrono>
#include <cstring>
#include <future>

#include "simulate/nvml/fake_for_test.h"

namespace warpsight::nvml::abi {
namespace {

using namespace std::chrono_literals;

Return power_result(FakeLibrary& library, Device handle) {
  unsigned value = 0;
  return library.nvmlDeviceGetPowerUsage(handle, &value);
}

TEST_F(FakeNvml, LostGpuFailsEveryCallAndTheOthersGoOn) {
  play("gpus: [{count: 2}]\nfaults: [{fault: lost, at: 110, gpu: 1}]");
  const Device lost = device(1);
  EXPECT_EQ(power_result(fake(), lost), Return::success);
  fake().advance(10);
  EXPECT_EQ(power_result(fake(), lost), Return::gpu_is_lost);
  char name[96];
  EXPECT_EQ(fake().nvmlDeviceGetName(lost, name, sizeof name), Return::gpu_is_lost);
  Device handle = nullptr;
  EXPECT_EQ(fake().nvmlDeviceGetHandleByIndex_v2(1, &handle), Return::gpu_is_lost);
  EXPECT_EQ(power_result(fake(), device(0)), Return::success);
  unsigned count = 0;
  EXPECT_EQ(fake().nvmlDeviceGetCount_v2(&count), Return::success);
  EXPECT_EQ(count, 2U);
}

TEST_F(FakeNvml, HungCallNeverReturnsAndBlocksNoOther) {
  play(
      "gpus: [{count: 2}]\n"
      "faults: [{fault: hang, at: 100, gpu: 1, call: nvmlDeviceGetPowerUsage}]");
  const Device hung = device(1);
  auto call = std::async(std::launch::async, [hung] { return power_result(fake(), hung); });
  EXPECT_EQ(call.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(power_result(fake(), device(0)), Return::success);
  unsigned celsius = 0;
  EXPECT_EQ(fake().nvmlDeviceGetTemperature(hung, TemperatureSensor::gpu, &celsius),
            Return::success);
  // The call may still be on its way in.
  while (call.wait_for(1ms) != std::future_status::ready) fake().release_hangs();
  EXPECT_EQ(call.get(), Return::timeout);
}

TEST_F(FakeNvml, SlowCallTakesItsTime) {
  play("gpus: [{}]\nfaults: [{fault: slow, delay: 30ms, call: nvmlDeviceGetPowerUsage}]");
  const Device handle = device();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(power_result(fake(), handle), Return::success);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 30ms);
}

TEST_F(FakeNvml, ErrorLastsForItsWindow) {
  play(
      "gpus: [{}]\n"
      "faults: [{fault: error, error: RESET_REQUIRED, at: 101, for: 2s, gpu: 0}]");
  const Device handle = device();
  EXPECT_EQ(power_result(fake(), handle), Return::success);
  fake().advance(1);
  EXPECT_EQ(power_result(fake(), handle), Return::reset_required);
  fake().advance(2);
  EXPECT_EQ(power_result(fake(), handle), Return::success);
}

TEST_F(FakeNvml, InitCanFailToo) {
  char error[256];
  ASSERT_EQ(fake().load("faults: [{fault: error, error: DRIVER_NOT_LOADED, call: nvmlInit*}]",
                        error, sizeof error),
            0);
  EXPECT_EQ(fake().nvmlInit_v2(), Return::driver_not_loaded);
  EXPECT_EQ(fake().nvmlInitWithFlags(0), Return::driver_not_loaded);
}

TEST_F(FakeNvml, DriverReloadEndsTheSession) {
  play("gpus: [{}]\nfaults: [{fault: reload, at: 110, for: 5s}]");
  const Device handle = device();
  fake().advance(12);
  EXPECT_EQ(power_result(fake(), handle), Return::driver_not_loaded);
  EXPECT_EQ(fake().nvmlInit_v2(), Return::driver_not_loaded);
  fake().advance(5);
  EXPECT_EQ(power_result(fake(), handle), Return::uninitialized);
  EXPECT_EQ(fake().nvmlShutdown(), Return::success);
  ASSERT_EQ(fake().nvmlInit_v2(), Return::success);
  unsigned long long energy = 0;
  EXPECT_EQ(fake().nvmlDeviceGetTotalEnergyConsumption(device(), &energy), Return::success);
  EXPECT_LT(energy, 1'000'000U) << "counted from the new start";
}

TEST_F(FakeNvml, CountersResetAndStartAnew) {
  play("gpus: [{readings: {power: 100}}]\nfaults: [{fault: reset_counters, at: 105}]");
  unsigned long long before = 0;
  fake().nvmlDeviceGetTotalEnergyConsumption(device(), &before);
  fake().advance(6);
  unsigned long long after = 0;
  fake().nvmlDeviceGetTotalEnergyConsumption(device(), &after);
  EXPECT_GT(before, after);
  EXPECT_EQ(after, 100'000U);
}

TEST_F(FakeNvml, GarbageIsNoUtf8AndNoSaneNumber) {
  play("gpus: [{}]\nfaults: [{fault: garbage, gpu: 0}]");
  char name[kNameBuffer] = "";
  ASSERT_EQ(fake().nvmlDeviceGetName(device(), name, sizeof name), Return::success);
  EXPECT_EQ(static_cast<unsigned char>(name[0]), 0xff);
  EXPECT_LT(std::strlen(name), sizeof name);
  EXPECT_EQ(milliwatts(device()), 0xdeadbeefU);
}

TEST_F(FakeNvml, NothingSupportedStillEnumerates) {
  play("gpus: [{count: 2}]\nfaults: [{fault: unsupported, gpu: all}]");
  unsigned count = 0;
  EXPECT_EQ(fake().nvmlDeviceGetCount_v2(&count), Return::success);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(power_result(fake(), device(1)), Return::not_supported);
}

TEST_F(FakeNvml, VanishedGpuLeavesTheListAndComesBack) {
  play("gpus: [{count: 3}]\nfaults: [{fault: vanish, at: 110, for: 10s, gpu: 1}]");
  const Device second = device(1);
  const Device third = device(2);
  fake().advance(10);
  unsigned count = 0;
  fake().nvmlDeviceGetCount_v2(&count);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(device(1), third);
  unsigned index = 9;
  EXPECT_EQ(fake().nvmlDeviceGetIndex(third, &index), Return::success);
  EXPECT_EQ(index, 1U);
  EXPECT_EQ(power_result(fake(), second), Return::gpu_is_lost);
  fake().advance(10);
  fake().nvmlDeviceGetCount_v2(&count);
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(power_result(fake(), second), Return::success);
}

TEST_F(FakeNvml, XidWakesTheWaitingThread) {
  play("gpus: [{count: 2}]\nfaults: [{fault: xid, at: 110, gpu: 1, xid: 79}]");
  EventSet set = nullptr;
  ASSERT_EQ(fake().nvmlEventSetCreate(&set), Return::success);
  ASSERT_EQ(fake().nvmlDeviceRegisterEvents(device(0), event::kXidCritical, set), Return::success);
  ASSERT_EQ(fake().nvmlDeviceRegisterEvents(device(1), event::kXidCritical, set), Return::success);
  EventData data{};
  auto waiting = std::async(std::launch::async,
                            [&] { return fake().nvmlEventSetWait_v2(set, &data, 60'000); });
  fake().advance(10);
  ASSERT_EQ(waiting.get(), Return::success);
  EXPECT_EQ(data.device, device(1));
  EXPECT_EQ(data.type, event::kXidCritical);
  EXPECT_EQ(data.data, 79U);
  EXPECT_EQ(data.gpu_instance_id, kNoInstance);
  EXPECT_EQ(fake().nvmlEventSetWait_v2(set, &data, 0), Return::timeout) << "told once";
  EXPECT_EQ(fake().nvmlEventSetFree(set), Return::success);
}

TEST_F(FakeNvml, XidFromBeforeTheRegistrationIsNotTold) {
  play("gpus: [{}]\nfaults: [{fault: xid, at: 50, xid: 31, every: 20s, gpu: 0}]");
  EventSet set = nullptr;
  ASSERT_EQ(fake().nvmlEventSetCreate(&set), Return::success);
  ASSERT_EQ(fake().nvmlDeviceRegisterEvents(device(), event::kXidCritical, set), Return::success);
  EventData data{};
  EXPECT_EQ(fake().nvmlEventSetWait_v2(set, &data, 0), Return::timeout);
  fake().advance(41);
  EXPECT_EQ(fake().nvmlEventSetWait_v2(set, &data, 0), Return::success);
  EXPECT_EQ(fake().nvmlEventSetWait_v2(set, &data, 0), Return::success);
  EXPECT_EQ(fake().nvmlEventSetWait_v2(set, &data, 0), Return::timeout);
  EXPECT_EQ(fake().nvmlDeviceRegisterEvents(device(), ~0ULL, set), Return::not_supported);
  fake().nvmlEventSetFree(set);
}

TEST_F(FakeNvml, WaitWatchingALostGpuSaysSoAfterItsXid) {
  play(
      "gpus: [{}]\nfaults: [{fault: xid, at: 101, gpu: 0, xid: 79}, {fault: lost, at: 101, gpu: "
      "0}]");
  EventSet set = nullptr;
  ASSERT_EQ(fake().nvmlEventSetCreate(&set), Return::success);
  ASSERT_EQ(fake().nvmlDeviceRegisterEvents(device(), event::kXidCritical, set), Return::success);
  fake().advance(1);
  EventData data{};
  EXPECT_EQ(fake().nvmlEventSetWait_v2(set, &data, 1000), Return::success);
  EXPECT_EQ(fake().nvmlEventSetWait_v2(set, &data, 1000), Return::gpu_is_lost);
  fake().nvmlEventSetFree(set);
}

}  // namespace
}  // namespace warpsight::nvml::abi

// The fake driver as tests load it: by path, like the product, with its control functions.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulate/control.h"
#include "sources/nvml/abi.h"

namespace warpsight::nvml::abi {

// Every function of the library, null where it is not exported.
struct FakeLibrary {
  explicit FakeLibrary(const std::string& path) : handle(dlopen(path.c_str(), RTLD_NOW)) {
    const auto find = [this]<typename F>(F*& function, const char* name) {
      function = reinterpret_cast<F*>(dlsym(handle, name));
    };
#define WARPSIGHT_NVML(result, name, parameters) find(name, #name);
#include "sources/nvml/functions.def"
    find(marker, "warpsightFakeNvml");
    find(load, "warpsightFakeNvmlLoad");
    find(scenario, "warpsightFakeNvmlScenario");
    find(manual_clock, "warpsightFakeNvmlManualClock");
    find(advance, "warpsightFakeNvmlAdvance");
    find(calls, "warpsightFakeNvmlCalls");
    find(reset_calls, "warpsightFakeNvmlResetCalls");
    find(release_hangs, "warpsightFakeNvmlReleaseHangs");
  }

  void* handle;
// NOLINTNEXTLINE(bugprone-macro-parentheses): declarators cannot be in parentheses
#define WARPSIGHT_NVML(result, name, parameters) result(*name) parameters = nullptr;
#include "sources/nvml/functions.def"
#include "tests/places.h"
  decltype(&warpsightFakeNvml) marker = nullptr;
  decltype(&warpsightFakeNvmlLoad) load = nullptr;
  decltype(&warpsightFakeNvmlScenario) scenario = nullptr;
  decltype(&warpsightFakeNvmlManualClock) manual_clock = nullptr;
  decltype(&warpsightFakeNvmlAdvance) advance = nullptr;
  decltype(&warpsightFakeNvmlCalls) calls = nullptr;
  decltype(&warpsightFakeNvmlResetCalls) reset_calls = nullptr;
  decltype(&warpsightFakeNvmlReleaseHangs) release_hangs = nullptr;
};

// Plays a scenario by hand: time stands at 100 s and moves by advance() alone.
class FakeNvml : public ::testing::Test {
 protected:
  static FakeLibrary& fake() {
    static FakeLibrary library(WARPSIGHT_FAKE_NVML);
    return library;
  }

  void SetUp() override { ASSERT_NE(fake().handle, nullptr) << "cannot load " WARPSIGHT_FAKE_NVML; }

  void TearDown() override {
    while (fake().nvmlShutdown() == Return::success) {
    }
    fake().load(nullptr, nullptr, 0);
  }

  static void play(const std::string& scenario) {
    char error[512] = "";
    ASSERT_EQ(fake().load(scenario.c_str(), error, sizeof error), 0) << error;
    fake().manual_clock(100);
    ASSERT_EQ(fake().nvmlInit_v2(), Return::success);
  }

  static Device device(unsigned index = 0) {
    Device handle = nullptr;
    EXPECT_EQ(fake().nvmlDeviceGetHandleByIndex_v2(index, &handle), Return::success);
    return handle;
  }

  static FieldValue field(Device handle, unsigned id, unsigned scope = 0) {
    FieldValue value{};
    value.field_id = id;
    value.scope_id = scope;
    value.result = Return::unknown;
    EXPECT_EQ(fake().nvmlDeviceGetFieldValues(handle, 1, &value), Return::success);
    return value;
  }

  static unsigned milliwatts(Device handle) {
    unsigned value = 0;
    EXPECT_EQ(fake().nvmlDeviceGetPowerUsage(handle, &value), Return::success);
    return value;
  }

  static std::vector<Sample> samples(Device handle, SamplingType type, unsigned long long since) {
    ValueType value_type{};
    unsigned count = 200;
    std::vector<Sample> out(count);
    const Return result =
        fake().nvmlDeviceGetSamples(handle, type, since, &value_type, &count, out.data());
    out.resize(result == Return::success ? count : 0);
    return out;
  }
};

}  // namespace warpsight::nvml::abi

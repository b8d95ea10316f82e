#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "platform/test_dir.h"
#include "simulate/nvml/fake_for_test.h"

namespace warpsight::nvml::abi {
namespace {

class FakeListedProcesses : public FakeNvml {
 protected:
  // As a careful writer does it: the file is replaced in one step.
  void list(std::string_view lines) {
    std::ofstream(file_ + ".new") << lines;
    std::filesystem::rename(file_ + ".new", file_);
  }

  void play_with(std::string_view rest) {
    play(fmt::format("processes_from: {}\n{}", file_, rest));
  }

  static std::vector<ProcessInfo> on(Device handle) {
    std::vector<ProcessInfo> found(8);
    auto count = static_cast<unsigned>(found.size());
    EXPECT_EQ(fake().nvmlDeviceGetComputeRunningProcesses_v3(handle, &count, found.data()),
              Return::success);
    found.resize(count);
    return found;
  }

  static std::vector<unsigned> pids(Device handle) {
    std::vector<unsigned> pids;
    for (const ProcessInfo& process : on(handle)) pids.push_back(process.pid);
    return pids;
  }

  using Pids = std::vector<unsigned>;
  TestDir dir_;
  std::string file_ = dir_.path() + "/processes";
};

TEST_F(FakeListedProcesses, AreThoseOfTheFileAsItIsNow) {
  play_with("gpus: [{count: 2}]\nprocesses: [{gpu: 0, pid: 10, memory: 1GiB}]");
  EXPECT_EQ(pids(device(0)), Pids{10});
  EXPECT_EQ(pids(device(1)), Pids{}) << "no file: nobody";
  list("0 77 512 30\n1 78 1024 5\n");
  EXPECT_EQ(pids(device(0)), (Pids{10, 77}));
  ASSERT_EQ(pids(device(1)), Pids{78});
  EXPECT_EQ(on(device(1))[0].used_gpu_memory, 1ULL << 30);
  MemoryV2 memory{};
  memory.version = kMemoryV2;
  ASSERT_EQ(fake().nvmlDeviceGetMemoryInfo_v2(device(1), &memory), Return::success);
  EXPECT_EQ(memory.used, 1ULL << 30);
  list("1 79 1 5\n");
  EXPECT_EQ(pids(device(0)), Pids{10});
  EXPECT_EQ(pids(device(1)), Pids{79});
  std::filesystem::remove(file_);
  EXPECT_EQ(pids(device(1)), Pids{});
}

TEST_F(FakeListedProcesses, LinesThatMakeNoSenseOrHaveNoEndAreLeftOut) {
  play_with("gpus: [{}]");
  list(
      "# comment\n\n0 77 512 30\n9 78 1 1\n0 0 1 1\n0 79 1\n0 80 1 101\n0 81 1 1 0\n0 82 x 1\n"
      "0 83 1 1 \r\n0 84 51");
  EXPECT_EQ(pids(device()), (Pids{77, 83}));
}

TEST_F(FakeListedProcesses, TheirUseOfTheGpuIsTheirOwnWhateverTheLoad) {
  play_with("gpus: [{load: 0.5}]\nprocesses: [{pid: 10, sm: 0.5}]");
  list("0 77 512 30\n0 78 512 0\n");
  std::array<ProcessUtilizationSample, 8> samples{};
  unsigned count = samples.size();
  ASSERT_EQ(fake().nvmlDeviceGetProcessUtilization(device(), samples.data(), &count, 0),
            Return::success);
  ASSERT_EQ(count, 2U);
  EXPECT_EQ(samples[0].sm, 25U);
  EXPECT_EQ(samples[1].pid, 77U);
  EXPECT_EQ(samples[1].sm, 30U);
  Utilization whole{};
  ASSERT_EQ(fake().nvmlDeviceGetUtilizationRates(device(), &whole), Return::success);
  EXPECT_EQ(whole.gpu, 50U);
}

TEST_F(FakeListedProcesses, OfAMigInstanceAreOnItAlone) {
  play_with("gpus: [{mig: [{profile: 3g.40gb}, {profile: 1g.10gb}]}]");
  list("0 77 512 30 0\n0 78 256 10 1\n0 79 1 1 2\n");
  Device mig = nullptr;
  ASSERT_EQ(fake().nvmlDeviceGetMigDeviceHandleByIndex(device(), 1, &mig), Return::success);
  EXPECT_EQ(pids(mig), Pids{78});
  EXPECT_EQ(pids(device()), (Pids{77, 78}));
}

TEST_F(FakeListedProcesses, AreCalledAsTheKernelCallsThem) {
  play_with("gpus: [{}]");
  list(fmt::format("0 {} 512 30\n0 4194303 1 1\n", getpid()));
  char own[16] = {};
  ASSERT_EQ(prctl(PR_GET_NAME, own), 0);
  char name[64] = "";
  ASSERT_EQ(fake().nvmlSystemGetProcessName(static_cast<unsigned>(getpid()), name, sizeof name),
            Return::success);
  EXPECT_STREQ(name, own);
  EXPECT_EQ(fake().nvmlSystemGetProcessName(4194303, name, sizeof name), Return::not_found);
}

}  // namespace
}  // namespace warpsight::nvml::abi

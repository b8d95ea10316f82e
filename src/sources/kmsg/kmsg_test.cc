#include "sources/kmsg/kmsg.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "sources/kmsg/line.h"
#include "sources/sysfs/fake_root.h"

namespace warpsight {
namespace {

using std::chrono::seconds;

constexpr const char* kXid31 = "NVRM: Xid (PCI:0000:9b:00): 31, pid=7, name=a, MMU fault";
constexpr const char* kXid43 = "NVRM: Xid (PCI:0000:9b:00): 43, pid=7, name=a, Ch 8";

// What the next reads fail with before they succeed.
int next_errno = 0;

ssize_t read_or_fail(int fd, void* buffer, size_t size) {
  if (next_errno == 0) return ::read(fd, buffer, size);
  errno = std::exchange(next_errno, 0);
  return -1;
}

class KmsgTest : public ::testing::Test {
 protected:
  void SetUp() override {
    next_errno = 0;
    set_boot("11111111-2222-3333-4444-555555555555");
    root_.make_directory("/state");
    root_.write("/dev/kmsg", "");
    say("Linux version 6.1");
  }

  void set_boot(std::string_view id) {
    root_.write("/proc/sys/kernel/random/boot_id", std::string(id) + "\n");
  }

  // The kernel's clock is the test's, which counts from the epoch.
  void say(const std::string& text, Duration ago = {}) {
    const Duration since_boot = clock_.steady().time_since_epoch() - ago;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(since_boot).count();
    root_.append("/dev/kmsg", "4," + std::to_string(sequence_++) + "," + std::to_string(us) +
                                  ",-;" + text + "\n SUBSYSTEM=pci\n");
  }

  Result<> collect() {
    if (!source_) source_ = make_kmsg_source(context_, read_or_fail);
    clock_.advance(seconds{1});
    batch_.clear();
    return source_->collect(batch_);
  }

  void restart() { source_.reset(); }

  testing::FakeRoot root_;
  ManualClock clock_;
  EntityTable entities_;
  Options options_ = Options::defaults(kKmsgSource.options);
  CallTrace trace_;
  SourceContext context_{clock_, entities_, options_, trace_, root_.path(), root_.path() + "/state",
                         {},     {},        {}};
  std::unique_ptr<Source> source_;
  Batch batch_;
  uint64_t sequence_ = 0;
};

TEST_F(KmsgTest, AnXidBecomesARawEvent) {
  ASSERT_TRUE(collect());
  say(kXid31);
  const Time said = clock_.now();
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.events.size(), 1U);
  const Event& event = batch_.events[0];
  EXPECT_EQ(event.name, "gpu.xid.raw");
  EXPECT_EQ(event.time, said);
  EXPECT_EQ(event.message, "MMU fault");
  EXPECT_EQ(event.attribute("gpu.xid.code"), "31");
  EXPECT_EQ(event.attribute("gpu.pci.address"), "0000:9b:00.0");
  EXPECT_EQ(event.attribute("process.pid"), "7");
  EXPECT_EQ(event.attribute("process.name"), "a");
  EXPECT_EQ(event.attribute("source"), "kmsg");
  EXPECT_EQ(event.attribute("history"), "");
  ASSERT_TRUE(collect());
  EXPECT_TRUE(batch_.events.empty());
}

TEST_F(KmsgTest, WhatTheLogHeldAtTheFirstStartIsHistory) {
  say(kXid31, seconds{3600});
  const Time then = clock_.now() - seconds{3600};
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.events.size(), 1U);
  EXPECT_EQ(batch_.events[0].attribute("history"), "true");
  EXPECT_EQ(batch_.events[0].time, then);
}

TEST_F(KmsgTest, WhatCameWhileTheAgentWasDownCounts) {
  say(kXid31);
  ASSERT_TRUE(collect());
  restart();
  say(kXid43);
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.events.size(), 1U);
  EXPECT_EQ(batch_.events[0].attribute("gpu.xid.code"), "43");
  EXPECT_EQ(batch_.events[0].attribute("history"), "");
  restart();
  ASSERT_TRUE(collect());
  EXPECT_TRUE(batch_.events.empty()) << "told twice";
}

TEST_F(KmsgTest, AfterARebootEverythingIsHistoryAgain) {
  ASSERT_TRUE(collect());
  restart();
  set_boot("99999999-2222-3333-4444-555555555555");
  say(kXid31);
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.events.size(), 1U);
  EXPECT_EQ(batch_.events[0].attribute("history"), "true");
}

TEST_F(KmsgTest, AGarbledStateFileIsAFirstStart) {
  for (const char* text : {"", "x", "11111111-2222-3333-4444-555555555555",
                           "11111111-2222-3333-4444-555555555555 -4"}) {
    restart();
    root_.write("/state/kmsg.state", text);
    say(kXid31);
    ASSERT_TRUE(collect());
    ASSERT_FALSE(batch_.events.empty());
    EXPECT_EQ(batch_.events.back().attribute("history"), "true") << text;
  }
}

TEST_F(KmsgTest, TheStateIsWrittenOnlyWhenSomethingWasTold) {
  ASSERT_TRUE(collect());
  ASSERT_TRUE(std::filesystem::exists(root_.at("/state/kmsg.state")));
  root_.remove("/state/kmsg.state");
  for (int i = 0; i < 10; ++i) {
    say("usb 1-1: new device");
    ASSERT_TRUE(collect());
  }
  EXPECT_FALSE(std::filesystem::exists(root_.at("/state/kmsg.state")));
  say(kXid31);
  ASSERT_TRUE(collect());
  EXPECT_TRUE(std::filesystem::exists(root_.at("/state/kmsg.state")));
}

TEST_F(KmsgTest, WithoutAStateDirectoryNothingIsKept) {
  context_.state_dir.clear();
  say(kXid31);
  ASSERT_TRUE(collect());
  restart();
  ASSERT_TRUE(collect());
  EXPECT_EQ(batch_.events.at(0).attribute("history"), "true");
}

TEST_F(KmsgTest, ADriftingLogClockDoesNotMoveALiveLine) {
  ASSERT_TRUE(collect());
  const Time before = clock_.now();
  say(kXid31, seconds{90});
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.events.size(), 1U);
  EXPECT_EQ(batch_.events[0].time, before);
  say(kXid43, seconds{-90});
  ASSERT_TRUE(collect());
  EXPECT_EQ(batch_.events.at(0).time, clock_.now());
}

TEST_F(KmsgTest, FallenOffTheBusAndSwitchErrorsAreToldToo) {
  ASSERT_TRUE(collect());
  say("NVRM: The NVIDIA GPU 0000:9b:00.0\\x0aNVRM: (PCI ID: 10de:2330) installed in this system "
      "has\\x0aNVRM: fallen off the bus and is not responding to commands.");
  say("nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up");
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.events.size(), 2U);
  EXPECT_EQ(batch_.events[0].name, "gpu.fallen_off_bus.raw");
  EXPECT_EQ(batch_.events[0].attribute("gpu.pci.address"), "0000:9b:00.0");
  EXPECT_EQ(batch_.events[1].name, "nvswitch.sxid");
  EXPECT_EQ(batch_.events[1].severity, Severity::error);
  EXPECT_EQ(batch_.events[1].attribute("nvswitch.sxid.code"), "20034");
}

TEST_F(KmsgTest, AnOverrunIsCountedAndReadingGoesOn) {
  ASSERT_TRUE(collect());
  next_errno = EPIPE;
  sequence_ += 40;
  say(kXid31);
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.events.size(), 2U);
  EXPECT_EQ(batch_.events[0].name, "kmsg.overrun");
  EXPECT_EQ(batch_.events[0].attribute("lost"), "40");
  EXPECT_EQ(batch_.events[1].name, "gpu.xid.raw");
  EXPECT_EQ(
      testing::value_of(batch_, entities_, Metric::warpsight_dropped, "stage=kmsg,reason=overrun"),
      40);
}

TEST_F(KmsgTest, AReadThatFailsIsAnErrorAndNothingIsToldTwice) {
  ASSERT_TRUE(collect());
  say(kXid31);
  ASSERT_TRUE(collect());
  next_errno = EIO;
  EXPECT_FALSE(collect());
  ASSERT_TRUE(collect());
  EXPECT_TRUE(batch_.events.empty());
}

TEST_F(KmsgTest, AMissingPrivilegeIsNamed) {
  next_errno = EPERM;
  const Result<> outcome = collect();
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().hint.find("CAP_SYSLOG"), std::string::npos);
  EXPECT_NE(outcome.error().hint.find("dmesg_restrict"), std::string::npos);
}

TEST_F(KmsgTest, ALogThatIsNotThereIsLookedForAgain) {
  root_.remove("/dev/kmsg");
  ASSERT_FALSE(collect());
  const auto findings = kKmsgSource.diagnose(context_);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].state, Finding::State::missing);
  EXPECT_FALSE(findings[0].hint.empty());
  root_.write("/dev/kmsg", "");
  EXPECT_TRUE(collect());
  EXPECT_EQ(kKmsgSource.diagnose(context_).at(0).state, Finding::State::ok);
}

TEST_F(KmsgTest, OfALongHistoryTheNewestIsKept) {
  for (int i = 0; i < 70; ++i) {
    say("NVRM: Xid (PCI:0000:9b:00): " + std::to_string(i + 1) + ", x");
  }
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.events.size(), 64U);
  EXPECT_EQ(batch_.events.back().attribute("gpu.xid.code"), "70");
  EXPECT_EQ(
      testing::value_of(batch_, entities_, Metric::warpsight_dropped, "stage=kmsg,reason=limit"),
      6);
}

TEST_F(KmsgTest, AStormIsTakenInTurns) {
  ASSERT_TRUE(collect());
  for (int i = 0; i < 200; ++i) say(kXid31);
  ASSERT_TRUE(collect());
  EXPECT_EQ(batch_.events.size(), 128U);
  ASSERT_TRUE(collect());
  EXPECT_EQ(batch_.events.size(), 72U);
}

TEST_F(KmsgTest, GarbageInTheLogIsPassedOver) {
  ASSERT_TRUE(collect());
  root_.append("/dev/kmsg", "no record\n;;;\n\n" + std::string(40'000, 'x') + "\n");
  say(kXid31);
  ASSERT_TRUE(collect());
  EXPECT_EQ(batch_.events.size(), 1U);
}

TEST_F(KmsgTest, HalfALineWaitsForItsRest) {
  ASSERT_TRUE(collect());
  const std::string line = "4,900,1,-;" + std::string(kXid31) + "\n";
  root_.append("/dev/kmsg", line.substr(0, 30));
  ASSERT_TRUE(collect());
  EXPECT_TRUE(batch_.events.empty());
  root_.append("/dev/kmsg", line.substr(30));
  ASSERT_TRUE(collect());
  EXPECT_EQ(batch_.events.size(), 1U);
}

}  // namespace
}  // namespace warpsight

// Kills, damaged files and disks that take no more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "history/history.h"
#include "history/history_test.h"
#include "history/sqlite.h"
#include "platform/fd.h"

namespace warpsight {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class HistoryFaults : public ::testing::Test, public HistoryBench {
 protected:
  std::string database() const { return settings.directory + "/history.db"; }

  void run(int frames, int gpus = 1) {
    for (int i = 0; i < frames; ++i) {
      for (int g = 0; g < gpus; ++g) add(Metric::gpu_temperature, gpu(g), next_++);
      publish();
    }
  }

  size_t set_aside_files() const {
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(settings.directory)) {
      const std::string name = entry.path().filename();
      files += name.find("damaged") != std::string::npos &&
                       name.find("-wal") == std::string::npos &&
                       name.find("-shm") == std::string::npos
                   ? 1
                   : 0;
    }
    return files;
  }

  double next_ = 0;
};

// Frames are told as synced once the writer has them; the number of the frame is its value.
[[noreturn]] void record_until_killed(const HistorySettings& settings, int64_t first, int out) {
  // Nobody tidies up after it: its own folder lies in the test's.
  const auto folder = std::filesystem::path(settings.directory).parent_path();
  ::setenv("TMPDIR", folder.c_str(), 1);
  HistoryBench bench;
  bench.settings = settings;
  bench.clock.advance(kTestInterval * first);
  bench.open();
  for (int64_t frame = first;; ++frame) {
    for (int g = 0; g < 20; ++g) {
      bench.add(Metric::gpu_temperature, bench.gpu(g), static_cast<double>(frame + g));
    }
    bench.publish();
    if (!bench.history->known({"none"}, {})) ::_exit(1);
    if (::write(out, &frame, sizeof frame) != sizeof frame) ::_exit(1);
  }
}

TEST_F(HistoryFaults, AKillCostsAFlushIntervalAtMost) {
  const char* const asked = std::getenv("WARPSIGHT_HISTORY_KILLS");
  const int kills = asked == nullptr ? 20 : std::atoi(asked);
  const Time start = clock.now();
  std::mt19937_64 random(static_cast<uint64_t>(::getpid()));
  int64_t next = 0;
  int64_t kept = -1;  // the newest frame that outlived the kill before
  for (int kill = 0; kill < kills; ++kill) {
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    const pid_t child = ::fork();
    if (child == 0) record_until_killed(settings, next, pipe->second.get());
    pipe->second.reset();
    int64_t synced = next;
    for (uint64_t frames = 1 + random() % 12; frames > 0; --frames) {
      ASSERT_EQ(::read(pipe->first.get(), &synced, sizeof synced), sizeof synced);
    }
    ::usleep(static_cast<useconds_t>(random() % 4'000));  // any moment of a frame
    ::kill(child, SIGKILL);
    while (::read(pipe->first.get(), &synced, sizeof synced) == sizeof synced) {
    }
    ::waitpid(child, nullptr, 0);

    HistoryBench after;
    after.settings = settings;
    after.clock.advance(kTestInterval * (synced + 2));
    after.open();
    EXPECT_THAT(after.history->status().set_aside, IsEmpty());
    SeriesQuery query = after.query("gpu.temperature", start, kTestInterval);
    query.matchers = {{"gpu.index", {"7"}}};
    query.from = std::max(start, after.clock.now() - kTestInterval * 5000);
    const auto answer = after.history->series(query);
    ASSERT_TRUE(answer) << describe(answer.error());
    int64_t last = -1;
    for (size_t i = 0; !answer->rows.empty() && i < answer->steps; ++i) {
      const double value = answer->rows[0].values[i];
      if (std::isnan(value)) continue;
      const int64_t frame =
          (answer->first + answer->step * static_cast<int64_t>(i) - start) / kTestInterval;
      EXPECT_EQ(value, static_cast<double>(frame + 7));
      last = frame;
    }
    // The kill may come while an interval's frames are being written.
    const int64_t lost = synced - std::max(last, next - 1);
    EXPECT_LE(kTestInterval * lost, settings.flush_interval) << "kill " << kill;
    EXPECT_GE(last, kept) << "kill " << kill;
    after.stop();
    kept = last;
    next = synced + 2;
  }
  EXPECT_GT(next, 3 * kills);
}

TEST_F(HistoryFaults, GarbageIsSetAside) {
  for (int round = 0; round < 4; ++round) {
    std::filesystem::create_directories(settings.directory);
    std::ofstream(database(), std::ios::binary) << std::string(20'000, 'x');
    open();
    EXPECT_THAT(history->status().set_aside, HasSubstr("history.db.damaged-"));
    EXPECT_TRUE(history->status().up);
    const Time from = clock.now();
    run(3);
    EXPECT_EQ(history->series(query("gpu.temperature", from, kTestInterval))->rows.size(), 1);
    stop();
  }
  EXPECT_EQ(set_aside_files(), 2);
}

TEST_F(HistoryFaults, ATruncatedFileIsSetAside) {
  open();
  run(800, 20);
  stop();
  std::filesystem::resize_file(database(), std::filesystem::file_size(database()) / 2 + 100);
  open();
  run(3);
  static_cast<void>(
      history->series(query("gpu.temperature", clock.now() - kTestInterval * 900, {})));
  run(3);
  EXPECT_TRUE(history->series(query("gpu.temperature", clock.now() - kTestInterval * 3, {})));
  EXPECT_THAT(history->status().set_aside, Not(IsEmpty()));
}

TEST_F(HistoryFaults, DamageFoundByAQuerySetsTheFileAside) {
  open();
  const Time from = clock.now();
  run(800, 20);
  stop();
  {
    std::fstream file(database(), std::ios::binary | std::ios::in | std::ios::out);
    const auto pages = static_cast<int>(std::filesystem::file_size(database()) / 4096);
    for (int page = 4; page < pages; ++page) {
      file.seekp(page * 4096);
      file << std::string(64, '\xEE');
    }
  }
  open();
  static_cast<void>(history->series(query("gpu.temperature", from, {})));
  run(4);
  EXPECT_TRUE(history->series(query("gpu.temperature", clock.now() - kTestInterval * 3, {})));
  EXPECT_THAT(history->status().set_aside, Not(IsEmpty()));
  EXPECT_TRUE(history->status().up) << history->status().last_error;
}

TEST_F(HistoryFaults, AFileOfAClockThatWasWrongIsSetAside) {
  open();
  run(5);
  stop();
  clock.advance(-std::chrono::hours{1000});
  open();
  EXPECT_THAT(history->status().set_aside, Not(IsEmpty()));
  const Time from = clock.now();
  run(3);
  EXPECT_EQ(history->series(query("gpu.temperature", from, kTestInterval))->rows.size(), 1);
}

TEST_F(HistoryFaults, ASecondWriterIsRefused) {
  open();
  const auto second = History::open(settings, clock, entities);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another agent"));
  EXPECT_THAT(second.error().hint, Not(IsEmpty()));
}

// A reload, while a request still reads.
TEST_F(HistoryFaults, AStoppedHistoryCanBeReadAndItsDirectoryUsedAgain) {
  open();
  const Time from = clock.now();
  run(400);
  ASSERT_TRUE(history->stop(kTestPatience));
  const std::unique_ptr<History> stopped = std::move(history);
  open();
  run(400);
  const SeriesQuery asked = query("gpu.temperature", from, kTestInterval);
  const auto before = stopped->series(asked);
  ASSERT_TRUE(before) << describe(before.error());
  EXPECT_EQ(before->rows[0].values[399], 399);
  const auto after = history->series(asked);
  ASSERT_TRUE(after) << describe(after.error());
  for (size_t i = 0; i < 800; ++i) EXPECT_EQ(after->rows[0].values[i], i);
}

TEST_F(HistoryFaults, AChunkThatDoesNotDecodeIsCounted) {
  open();
  const Time from = clock.now();
  run(400);
  EXPECT_EQ(history->status().damaged, 0);
  stop();
  {
    auto file = Database::open(database(), Database::Access::write);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->execute("UPDATE chunks SET data = x'6801FF'"));
  }
  open();
  const auto answer = history->series(query("gpu.temperature", from, kTestInterval));
  ASSERT_TRUE(answer) << describe(answer.error());
  EXPECT_TRUE(std::isnan(answer->rows[0].values[0]));
  EXPECT_EQ(answer->rows[0].values[399], 399);
  EXPECT_EQ(history->status().damaged, 1);
  EXPECT_THAT(history->status().set_aside, IsEmpty());
}

class NoFileGrows {
 public:
  NoFileGrows() {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit tight{4096, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~NoFileGrows() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(HistoryFaults, ADiskThatTakesNoMoreIsSurvivedAndNothingIsLost) {
  open();
  const Time from = clock.now();
  run(10);
  {
    const NoFileGrows full;
    run(450);
    const auto answer = history->series(query("gpu.temperature", from, kTestInterval));
    ASSERT_TRUE(answer) << describe(answer.error());
    EXPECT_FALSE(history->status().up);
    EXPECT_THAT(history->status().last_error, HasSubstr(";"));
    EXPECT_EQ(answer->rows[0].values.back(), 459);
  }
  run(10);
  stop();
  open();
  EXPECT_TRUE(history->status().up) << history->status().last_error;
  EXPECT_EQ(history->status().dropped, 0);
  const auto answer = history->series(query("gpu.temperature", from, kTestInterval));
  ASSERT_TRUE(answer);
  for (size_t i = 0; i < 470; ++i) EXPECT_EQ(answer->rows[0].values[i], i);
}

TEST_F(HistoryFaults, EventsThatAreTooManyForADiskThatTakesNothingAreCounted) {
  open();
  run(10);
  {
    const NoFileGrows full;
    for (int i = 0; i < 1005; ++i) {
      batch.events.push_back({.time = clock.now(),
                              .name = "gpu.xid",
                              .entity = gpu(0),
                              .message = "",
                              .attributes = {}});
      if (i % 50 == 0) run(1);
    }
    run(1);
    ASSERT_TRUE(history->known({"none"}, {}));
    EXPECT_EQ(history->status().dropped, 5);
  }
}

TEST_F(HistoryFaults, ADiskThatTakesNothingForHoursCostsTheOldest) {
  open();
  run(10);
  {
    const NoFileGrows full;
    run(2000);
  }
  run(400);
  EXPECT_TRUE(history->series(query("gpu.temperature", clock.now() - kTestInterval * 3, {})));
  const HistoryStatus status = history->status();
  EXPECT_TRUE(status.up) << status.last_error;
  EXPECT_GT(status.dropped, 500);
  EXPECT_LT(status.dropped, 2000);
  SeriesQuery asked = query("gpu.temperature", clock.now() - kTestInterval * 600, kTestInterval);
  const auto answer = history->series(asked);
  ASSERT_TRUE(answer);
  for (const double value : answer->rows[0].values) EXPECT_FALSE(std::isnan(value));
}

}  // namespace
}  // namespace warpsight

#include "runtime/spool.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "platform/test_dir.h"
#include "runtime/log.h"
#include "runtime/set_aside.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kSegment = ".segment";

// A disk with so many bytes free; a write takes what fits, as a real one does.
std::atomic<int64_t> g_free_bytes;
ssize_t write_to_small_disk(int fd, const iovec* parts, int /*count*/) {
  const auto wanted = static_cast<int64_t>(parts->iov_len);
  const int64_t fits = std::min(wanted, g_free_bytes.load());
  if (fits <= 0) {
    errno = ENOSPC;
    return -1;
  }
  g_free_bytes -= fits;
  return ::write(fd, parts->iov_base, static_cast<size_t>(fits));
}

class SpoolTest : public testing::Test {
 protected:
  SpoolTest() {
    settings.directory = dir.path() + "/spool";
    settings.size = uint64_t{1} << 20;
    settings.sync = SyncPolicy::never;
    reopen();
  }

  // Like a new run of the agent after the old one was killed: nothing is flushed in between.
  void reopen() {
    spool.reset();
    spool = std::make_unique<Spool>(settings, clock);
    spool->open();
  }

  SpoolEntry entry(const std::string& bytes, uint32_t points = 10) {
    SpoolEntry entry;
    entry.sequence = spool->next_sequence();
    entry.time = clock.now();
    entry.message = {.kind = 3, .points = points, .bytes = bytes};
    return entry;
  }
  void put(const std::string& bytes, uint32_t points = 10) { spool->put(entry(bytes, points)); }

  std::optional<std::string> take() {
    SpoolEntry taken;
    if (!spool->take_oldest(taken)) return std::nullopt;
    return taken.message.bytes;
  }
  std::optional<std::string> deliver() {
    auto bytes = take();
    spool->remove_taken();
    return bytes;
  }
  std::vector<std::string> drain() {
    std::vector<std::string> all;
    while (auto bytes = deliver()) all.push_back(*bytes);
    return all;
  }

  std::vector<fs::path> segments() const {
    std::vector<fs::path> found;
    for (const auto& file : fs::directory_iterator(settings.directory)) {
      if (file.path().extension() == kSegment) found.push_back(file.path());
    }
    std::ranges::sort(found);
    return found;
  }
  static std::string slurp(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void overwrite(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  uint64_t dropped(DropReason reason) const { return spool->state().drops[reason]; }
  std::vector<SpoolNotice::Kind> notices() {
    std::vector<SpoolNotice::Kind> kinds;
    for (const SpoolNotice& notice : spool->take_notices()) kinds.push_back(notice.kind);
    return kinds;
  }

  TestDir dir;
  ManualClock clock;
  SpoolSettings settings;
  std::unique_ptr<Spool> spool;
};

TEST_F(SpoolTest, GivesBackEverythingOldestFirst) {
  put("a", 1);
  put("b", 2);
  put("", 3);
  SpoolEntry first;
  ASSERT_TRUE(spool->take_oldest(first));
  EXPECT_EQ(first.message.kind, 3);
  EXPECT_EQ(first.message.points, 1U);
  EXPECT_EQ(first.time, clock.now());
  EXPECT_EQ(spool->state().points, 6U);
  EXPECT_THAT(drain(), ElementsAre("a", "b", ""));
  EXPECT_TRUE(spool->state().empty);
  EXPECT_EQ(spool->state().bytes, 0U);
  EXPECT_THAT(segments(), IsEmpty());
}

TEST_F(SpoolTest, CompressedItTakesLessRoomAndGivesBackTheSame) {
  settings.compression = Compression::zstd;
  reopen();
  const std::string repetitive(100'000, 'x');
  put(repetitive);
  put("");
  put("short");
  EXPECT_LT(spool->state().bytes, 1000U);
  reopen();
  EXPECT_THAT(drain(), ElementsAre(repetitive, "", "short"));
  EXPECT_EQ(dropped(DropReason::corrupt), 0U);
}

TEST_F(SpoolTest, WhatCannotBeUnpackedIsPassedOverAndCounted) {
  put("kept by an agent that did not compress", 7);
  settings.compression = Compression::zstd;
  reopen();
  put("kept by this one");
  EXPECT_THAT(drain(), ElementsAre("kept by this one"));
  EXPECT_EQ(dropped(DropReason::corrupt), 7U);
  EXPECT_TRUE(spool->state().empty);
}

TEST_F(SpoolTest, WhatIsReturnedStaysTheOldest) {
  put("a");
  put("b");
  EXPECT_EQ(take(), "a");
  spool->return_taken();
  EXPECT_THAT(drain(), ElementsAre("a", "b"));
}

TEST_F(SpoolTest, AMessageThatFailedLateComesBeforeYoungerOnes) {
  SpoolEntry in_flight = entry("in flight");
  put("younger");
  put("youngest");
  spool->put(std::move(in_flight));
  EXPECT_EQ(take(), "in flight");
  reopen();
  EXPECT_THAT(drain(), ElementsAre("in flight", "younger", "youngest"));
}

TEST_F(SpoolTest, AnotherRunGoesOnWhereTheLastOneWas) {
  for (const char* text : {"a", "b", "c", "d"}) put(text);
  EXPECT_EQ(deliver(), "a");
  EXPECT_EQ(deliver(), "b");
  EXPECT_EQ(take(), "c");  // delivered, but killed before it was noted
  reopen();
  EXPECT_EQ(spool->state().points, 20U);
  put("e");
  EXPECT_THAT(drain(), ElementsAre("c", "d", "e"));
  put("f");
  reopen();
  EXPECT_THAT(drain(), ElementsAre("f"));
}

TEST_F(SpoolTest, AKilledProcessLosesNothingThatWasPut) {
  spool.reset();
  const pid_t child = ::fork();
  if (child == 0) {
    reopen();
    for (int i = 0; i < 500; ++i) put(std::string(1000, 'x') + std::to_string(i));
    for (int i = 0; i < 100; ++i) deliver();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  reopen();
  const std::vector<std::string> rest = drain();
  ASSERT_THAT(rest, SizeIs(400));
  for (size_t i = 0; i < rest.size(); ++i) {
    EXPECT_EQ(rest[i], std::string(1000, 'x') + std::to_string(i + 100));
  }
}

TEST_F(SpoolTest, AtTheSizeLimitTheOldestGoAndAreCounted) {
  const std::string big(100'000, 'x');
  for (int i = 0; i < 30; ++i) put(big + std::to_string(i), 7);
  EXPECT_LE(spool->state().bytes, settings.size);
  const std::vector<std::string> rest = drain();
  ASSERT_FALSE(rest.empty());
  EXPECT_EQ(rest.back(), big + "29");
  EXPECT_EQ(rest.front(), big + std::to_string(30 - rest.size()));
  EXPECT_EQ(dropped(DropReason::spool_full), 7 * (30 - rest.size()));
}

TEST_F(SpoolTest, WhatIsBeingDeliveredWhenItsSegmentGoesIsCountedOnce) {
  const std::string big(100'000, 'x');
  put("first", 1);
  EXPECT_EQ(take(), "first");
  for (int i = 0; i < 12; ++i) put(big, 7);
  EXPECT_EQ(dropped(DropReason::spool_full) % 7, 0U);
  const uint64_t before = dropped(DropReason::spool_full);
  spool->return_taken();
  EXPECT_EQ(dropped(DropReason::spool_full), before + 1);

  EXPECT_EQ(take(), big);
  for (int i = 0; i < 12; ++i) put(big, 7);
  const uint64_t others = dropped(DropReason::spool_full);
  spool->remove_taken();
  EXPECT_EQ(dropped(DropReason::spool_full), others);
}

TEST_F(SpoolTest, AMessageLargerThanTheSpoolIsDroppedAlone) {
  put("a");
  put(std::string(2 << 20, 'x'), 9);
  EXPECT_EQ(dropped(DropReason::spool_full), 9U);
  EXPECT_THAT(drain(), ElementsAre("a"));
}

TEST_F(SpoolTest, WhatIsTooOldIsDroppedAndCounted) {
  settings.age = std::chrono::hours{1};
  reopen();
  put("old", 5);
  clock.advance(std::chrono::minutes{40});
  put("young", 6);
  clock.advance(std::chrono::minutes{21});
  EXPECT_EQ(spool->state().oldest, clock.now() - std::chrono::minutes{61});
  spool->upkeep();
  EXPECT_EQ(dropped(DropReason::spool_age), 5U);
  EXPECT_EQ(spool->state().oldest, clock.now() - std::chrono::minutes{21});
  EXPECT_THAT(drain(), ElementsAre("young"));
}

TEST_F(SpoolTest, AFullDiskKeepsTheNewestInMemoryAndTellsOnce) {
  settings.write = write_to_small_disk;
  g_free_bytes = 5000;
  reopen();
  const std::string text(2000, 'x');
  for (int i = 0; i < 10; ++i) put(text + std::to_string(i), 7);
  EXPECT_THAT(notices(), ElementsAre(SpoolNotice::Kind::unwritable));
  EXPECT_EQ(dropped(DropReason::no_disk), 4 * 7U);  // two on disk, four in memory

  g_free_bytes = 1 << 20;
  put(text + "10", 7);
  EXPECT_THAT(notices(), ElementsAre(SpoolNotice::Kind::writable));
  reopen();  // all of it is on disk, and nothing torn among it
  EXPECT_THAT(notices(), IsEmpty());
  EXPECT_THAT(drain(), ElementsAre(text + "0", text + "1", text + "6", text + "7", text + "8",
                                   text + "9", text + "10"));
}

TEST_F(SpoolTest, OrderIsKeptBetweenDiskAndMemory) {
  settings.write = write_to_small_disk;
  g_free_bytes = 1 << 20;
  reopen();
  SpoolEntry in_flight = entry("0");
  put("1");
  g_free_bytes = 0;
  spool->put(std::move(in_flight));
  put("2");
  EXPECT_EQ(deliver(), "0");
  EXPECT_EQ(take(), "1");
  g_free_bytes = 1 << 20;
  put("3");
  spool->remove_taken();
  EXPECT_THAT(drain(), ElementsAre("2", "3"));
}

TEST_F(SpoolTest, ADirectoryThatCannotBeMadeIsTriedAgain) {
  dir.write("blocked", "a file where the directory should be");
  settings.directory = dir.path() + "/blocked/spool";
  reopen();
  EXPECT_THAT(notices(), ElementsAre(SpoolNotice::Kind::unwritable));
  put("a");
  fs::remove(dir.path() + "/blocked");
  put("b");
  EXPECT_THAT(notices(), ElementsAre(SpoolNotice::Kind::writable));
  reopen();
  EXPECT_THAT(drain(), ElementsAre("a", "b"));
}

TEST_F(SpoolTest, ASecondAgentWaitsInMemoryAndComesAfterTheFirst) {
  put("first agent 1");
  put("first agent 2");
  EXPECT_EQ(deliver(), "first agent 1");
  auto first = std::move(spool);
  spool = std::make_unique<Spool>(settings, clock);
  spool->open();
  const auto told = spool->take_notices();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_THAT(told[0].message, HasSubstr("another agent"));
  SpoolEntry in_flight = entry("second agent 1");
  put("second agent 2");
  EXPECT_EQ(take(), "second agent 2");
  spool->return_taken();
  first.reset();
  spool->upkeep();
  EXPECT_THAT(notices(), ElementsAre(SpoolNotice::Kind::writable));
  spool->put(std::move(in_flight));
  EXPECT_THAT(drain(), ElementsAre("first agent 2", "second agent 1", "second agent 2"));
}

TEST_F(SpoolTest, AnEndTornOffByAKillIsTakenOffWithoutAlarm) {
  put("whole");
  put("torn");
  const fs::path file = segments().back();
  fs::resize_file(file, fs::file_size(file) - 2);
  const LogCapture log;
  reopen();
  EXPECT_TRUE(log.contains("took off the end"));
  put("next");
  EXPECT_THAT(drain(), ElementsAre("whole", "next"));
  EXPECT_THAT(notices(), IsEmpty());
}

TEST_F(SpoolTest, DamageInTheMiddleIsSkippedAndTold) {
  put("before");
  put("damaged", 8);
  put("after");
  const fs::path file = segments().front();
  std::string bytes = slurp(file);
  bytes[bytes.find("damaged")] ^= 1;
  overwrite(file, bytes);
  reopen();
  EXPECT_THAT(drain(), ElementsAre("before", "after"));
  EXPECT_EQ(dropped(DropReason::corrupt), 8U);
  const auto told = spool->take_notices();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].kind, SpoolNotice::Kind::corrupt);
  EXPECT_EQ(told[0].file, file.string());
  EXPECT_EQ(told[0].offset, kRecordHeaderSize + 6);
  EXPECT_EQ(told[0].bytes, kRecordHeaderSize + 7);
}

TEST_F(SpoolTest, ADamagedCursorSendsAgainRatherThanNever) {
  put("a");
  put("b");
  EXPECT_EQ(deliver(), "a");
  overwrite(settings.directory + "/cursor", "nonsense nonsense");
  reopen();
  EXPECT_THAT(drain(), ElementsAre("a", "b"));
}

// Whatever happens to the bytes of a segment, what comes out was put in, in order.
TEST_F(SpoolTest, RandomDamageNeverYieldsAWrongMessage) {
  const LogCapture log;
  std::mt19937 random(20260101);
  const auto below = [&](size_t limit) { return random() % limit; };
  for (int round = 0; round < 150; ++round) {
    fs::remove_all(settings.directory);
    reopen();
    std::vector<std::string> sent;
    for (size_t i = 0; i < 8; ++i) {
      sent.push_back(fmt::format("{:04}:", i) +
                     std::string(below(200), static_cast<char>(random())));
      put(sent.back());
    }
    const fs::path file = segments().front();
    std::string bytes = slurp(file);
    for (size_t hits = 1 + below(4); hits > 0; --hits) {
      switch (below(4)) {
        case 0: bytes[below(bytes.size())] ^= static_cast<char>(1U << below(8)); break;
        case 1: bytes.resize(1 + below(bytes.size())); break;
        case 2: bytes.erase(below(bytes.size()), below(64)); break;
        default: bytes.insert(below(bytes.size()), std::string(below(64), '\x89')); break;
      }
      if (bytes.empty()) bytes = "x";
    }
    overwrite(file, bytes);
    reopen();
    size_t next = 0;
    for (const std::string& got : drain()) {
      while (next < sent.size() && sent[next] != got) ++next;
      ASSERT_LT(next, sent.size()) << "round " << round << " delivered what was never put there";
      ++next;
    }
    ASSERT_TRUE(spool->state().empty);
    ASSERT_EQ(spool->state().points, 0U);
  }
}

TEST_F(SpoolTest, EverySyncPolicyKeeps) {
  for (const SyncPolicy policy : {SyncPolicy::never, SyncPolicy::interval, SyncPolicy::always}) {
    settings.sync = policy;
    settings.sync_interval = std::chrono::seconds{1};
    reopen();
    for (const char* text : {"a", "b"}) {
      clock.advance(std::chrono::seconds{2});
      put(text);
    }
    spool->upkeep();
    reopen();
    EXPECT_THAT(drain(), ElementsAre("a", "b"));
  }
}

TEST_F(SpoolTest, WhatIsSetAsideIsFewAndHasThePeersWords) {
  const std::string folder = dir.path() + "/refused";
  for (int i = 0; i < 20; ++i) {
    clock.advance(std::chrono::seconds{1});
    ASSERT_TRUE(
        set_aside(folder, entry("bytes " + std::to_string(i)), "no such field", clock.now()));
  }
  std::vector<fs::path> bytes;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".bin") bytes.push_back(file.path());
  }
  std::ranges::sort(bytes);
  ASSERT_THAT(bytes, SizeIs(kSetAsideMessages));
  EXPECT_EQ(slurp(bytes.front()), "bytes 4");
  EXPECT_EQ(slurp(bytes.back()), "bytes 19");
  EXPECT_THAT(slurp(bytes.back().replace_extension(".txt")), HasSubstr("no such field"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2 * ptrdiff_t{kSetAsideMessages});
}

}  // namespace
}  // namespace warpsight

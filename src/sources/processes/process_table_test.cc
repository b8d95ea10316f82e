#include "sources/processes/process_table.h"

#include <gtest/gtest.h>

#include "sources/processes/machine_for_test.h"

namespace warpsight::processes {
namespace {

using namespace std::chrono_literals;
using testing::Machine;
using State = KnownProcess::State;

class ProcessTableTest : public ::testing::Test {
 protected:
  ProcessTable make(bool trust_pids = true) {
    return {machine_.clock, machine_.entities, {machine_.path(), trust_pids}};
  }

  Machine machine_;
};

TEST_F(ProcessTableTest, FollowsTheProcessesThatTheDriverLists) {
  ProcessTable table = make();
  EXPECT_FALSE(table.update());
  machine_.run(12);
  machine_.enter_gpu(12);
  machine_.enter_gpu(12, 1);
  EXPECT_TRUE(table.update());
  ASSERT_EQ(table.processes().size(), 1U) << "one process, on two GPUs";
  EXPECT_EQ(table.processes().at(12).facts.start, 500U);
  machine_.leave_gpu(12);
  EXPECT_FALSE(table.update());
  machine_.leave_gpu(12, 1);
  EXPECT_TRUE(table.update());
  EXPECT_TRUE(table.processes().empty());
}

TEST_F(ProcessTableTest, WhereNothingChangesOnlyTheStartIsLookedAtNowAndThen) {
  machine_.run(12);
  machine_.enter_gpu(12);
  ProcessTable table = make();
  table.update();
  const uint64_t before = table.files_read();
  EXPECT_GT(before, 0U);
  for (int pass = 0; pass < 100; ++pass) {
    machine_.clock.advance(1s);
    EXPECT_FALSE(table.update());
  }
  const uint64_t confirmed = before + 100s / ProcessTable::kConfirm;
  EXPECT_EQ(table.files_read(), confirmed);
  machine_.run(13);
  machine_.enter_gpu(13);
  EXPECT_TRUE(table.update());
  EXPECT_EQ(table.files_read(), confirmed + before + 1) << "the other one's start is looked at";
}

TEST_F(ProcessTableTest, OneThatEndedIsNoticedThoughTheDriverStillListsIt) {
  machine_.run(12);
  machine_.enter_gpu(12);
  ProcessTable table = make();
  table.update();
  machine_.end(12);
  machine_.clock.advance(ProcessTable::kConfirm);
  EXPECT_TRUE(table.update());
  EXPECT_EQ(table.processes().at(12).state, State::missing);
}

TEST_F(ProcessTableTest, ANumberThatWentToAnotherProcessIsReadAnew) {
  machine_.run(12, {.cgroup = testing::kPodCgroup});
  machine_.enter_gpu(12);
  ProcessTable table = make();
  table.update();
  machine_.leave_gpu(12);
  machine_.run(12, {.start = 900});
  machine_.enter_gpu(12);
  EXPECT_TRUE(table.update());
  EXPECT_EQ(table.processes().at(12).facts.start, 900U);
  EXPECT_EQ(table.processes().at(12).facts.cgroup.pod_uid, "");
}

TEST_F(ProcessTableTest, OneThatCannotBeReadIsTriedAgainMoreAndMoreRarely) {
  machine_.enter_gpu(12);
  ProcessTable table = make();
  EXPECT_TRUE(table.update());
  EXPECT_EQ(table.processes().at(12).state, State::missing);
  const uint64_t first = table.files_read();
  EXPECT_FALSE(table.update());
  EXPECT_EQ(table.files_read(), first);
  for (int pass = 0; pass < 600; ++pass) {
    machine_.clock.advance(1s);
    EXPECT_FALSE(table.update());
  }
  EXPECT_LT(table.files_read(), first + 20);
  machine_.run(12);
  machine_.clock.advance(61s);
  EXPECT_TRUE(table.update());
  EXPECT_EQ(table.processes().at(12).state, State::read);
}

TEST_F(ProcessTableTest, InANamespaceOfItsOwnNobodyIsTakenForTheOneThatIsMeant) {
  machine_.run(12, {.cgroup = testing::kPodCgroup});
  machine_.root().link("/proc/12/fd/4", "/dev/nvidia0");
  machine_.enter_gpu(12);
  ProcessTable table = make(false);
  EXPECT_TRUE(table.update());
  EXPECT_EQ(table.processes().at(12).state, State::unconfirmed);
  machine_.clock.advance(2s);
  EXPECT_FALSE(table.update());
}

}  // namespace
}  // namespace warpsight::processes

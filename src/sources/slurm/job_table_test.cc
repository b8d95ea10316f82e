#include "sources/slurm/job_table.h"

#include <gmock/gmock.h>

namespace warpsight::slurm {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr SteadyTime kStart{std::chrono::hours{1}};
constexpr size_t kAll = 100;

Job running(uint64_t id, std::vector<HeldGpu> gpus = {}) {
  Job job;
  job.id = id;
  job.state = "RUNNING";
  job.here = true;
  job.gpus = std::move(gpus);
  return job;
}

TEST(JobTable, AsksOnceAboutEachJob) {
  JobTable table;
  table.observe({{1, {10}}, {2, {20}}}, kStart);
  EXPECT_THAT(table.due(kStart, kAll), ElementsAre(1U, 2U));
  EXPECT_THAT(table.due(kStart, 1), ElementsAre(1U));
  table.answered(std::vector<uint64_t>{1, 2}, {running(1), running(2)}, kStart);
  table.observe({{1, {10}}, {2, {20, 21}}}, kStart + seconds{100});
  EXPECT_THAT(table.due(kStart + seconds{100}, kAll), IsEmpty());
}

TEST(JobTable, ForgetsWhatEndedAndAsksAnewAboutWhatCameBack) {
  JobTable table;
  table.observe({{1, {10}}}, kStart);
  table.answered(std::vector<uint64_t>{1}, {running(1)}, kStart);
  table.observe({{1, {11}}}, kStart);
  EXPECT_FALSE(table.jobs().at(1).known);
  EXPECT_THAT(table.due(kStart, kAll), ElementsAre(1U));
  table.observe({}, kStart);
  EXPECT_THAT(table.jobs(), IsEmpty());
}

TEST(JobTable, AsksAgainLaterAndLater) {
  JobTable table;
  table.observe({{1, {10}}}, kStart);
  SteadyTime now = kStart;
  std::vector<int64_t> waits;
  for (int i = 0; i < 8; ++i) {
    table.answered(std::vector<uint64_t>{1}, {}, now);
    const SteadyTime asked = now;
    while (table.due(now, kAll).empty()) now += seconds{1};
    waits.push_back(std::chrono::duration_cast<seconds>(now - asked).count());
  }
  EXPECT_THAT(waits, ElementsAre(1, 2, 4, 8, 16, 32, 60, 60));
}

TEST(JobTable, AHolderOfAGpuGivenToAnotherIsAskedAboutAgain) {
  JobTable table;
  table.observe({{1, {10}}, {2, {20}}, {3, {30}}}, kStart);
  table.answered(std::vector<uint64_t>{1, 2}, {running(1, {{0, false}}), running(2, {{1, true}})},
                 kStart);
  table.answered(std::vector<uint64_t>{3}, {running(3, {{0, false}, {1, true}})}, kStart);
  EXPECT_THAT(table.due(kStart, kAll), ElementsAre(1U));
  Job ended = running(1);
  ended.state = "COMPLETED";
  table.answered(std::vector<uint64_t>{1}, {ended}, kStart);
  EXPECT_THAT(table.due(kStart, kAll), IsEmpty());
  EXPECT_THAT(table.jobs().at(1).known->gpus, IsEmpty());
}

TEST(JobTable, AJobWhoseLastProcessEndedIsAskedAboutUntilItHoldsNothing) {
  JobTable table;
  table.observe({{1, {10}}, {2, {20}}}, kStart);
  const Job holder = running(1, {{0, false}});
  const std::vector<uint64_t> first = {1};
  table.answered(std::vector<uint64_t>{1, 2}, {holder, running(2)}, kStart);
  table.observe({{1, {10}, true}, {2, {20}}}, kStart + seconds{9});
  EXPECT_THAT(table.due(kStart + seconds{9}, kAll), ElementsAre(1U));
  table.answered(first, {holder}, kStart + seconds{9});
  table.observe({{1, {10}, true}, {2, {20}}}, kStart + seconds{10});
  EXPECT_THAT(table.due(kStart + seconds{10}, kAll), ElementsAre(1U)) << "Slurm was late";
  Job ended = running(1);
  ended.state = "COMPLETED";
  table.answered(first, {ended}, kStart + seconds{10});
  EXPECT_THAT(table.due(kStart + seconds{100}, kAll), IsEmpty()) << "its cgroup is left behind";
}

TEST(JobTable, AJobThatSlurmNoLongerKnowsHoldsNothing) {
  JobTable table;
  table.observe({{1, {10}}}, kStart);
  const std::vector<uint64_t> asked = {1};
  table.answered(asked, {running(1, {{0, false}})}, kStart);
  table.answered(asked, {}, kStart + seconds{1});
  EXPECT_FALSE(table.jobs().at(1).known);
  EXPECT_THAT(table.due(kStart + seconds{2}, kAll), ElementsAre(1U));
}

TEST(JobTable, WhatIsKnownIsCheckedNowAndThenOneByOne) {
  JobTable table;
  table.observe({{1, {10}}, {2, {20}}}, kStart);
  table.answered(std::vector<uint64_t>{1, 2}, {running(1), running(2)}, kStart);
  EXPECT_THAT(table.due(kStart + JobTable::kRecheck - seconds{1}, kAll), IsEmpty());
  const SteadyTime later = kStart + JobTable::kRecheck;
  EXPECT_THAT(table.due(later, 1), ElementsAre(1U));
  table.answered(std::vector<uint64_t>{1}, {running(1)}, later);
  EXPECT_THAT(table.due(later, 1), IsEmpty());
  EXPECT_THAT(table.due(later + JobTable::kBetweenRechecks, 1), ElementsAre(2U));
  table.observe({{1, {10}}, {2, {20}}, {3, {30}}}, later);
  EXPECT_THAT(table.due(later + JobTable::kBetweenRechecks, kAll), ElementsAre(3U));
}

TEST(JobTable, AQuestionWithoutAnAnswerLetsOthersHaveTheirTurn) {
  JobTable table;
  table.observe({{1, {10}}, {2, {20}}}, kStart);
  table.unanswered(std::vector<uint64_t>{1}, kStart);
  EXPECT_THAT(table.due(kStart, kAll), ElementsAre(2U));
  EXPECT_THAT(table.due(kStart + seconds{1}, 1), ElementsAre(2U));
  EXPECT_THAT(table.due(kStart + seconds{1}, kAll), ElementsAre(2U, 1U));
}

}  // namespace
}  // namespace warpsight::slurm

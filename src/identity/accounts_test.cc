#include "identity/accounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "identity/one_gpu_test.h"

namespace warpsight::identity {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using Values = std::map<std::string, double>;

class AccountsTest : public OneGpuTest {};

TEST_F(AccountsTest, AnOwnersCountersBeginWithItAndSumToTheDevices) {
  work(10, 0.5);
  node.publish();
  const Owner train = pod("train");
  node.report("kubernetes", {.owners = {train}, .holdings = {holds(train, "GPU-a")}});
  work(4, 1.0);
  node.publish();
  EXPECT_EQ(node.values(Metric::gpu_owner_energy, {"owner.kind"}),
            (Values{{"owner.kind=pod", 400}, {"owner.kind=unattributed", 0}}));
  const Values busy = node.values(Metric::gpu_owner_busy_time, {"owner.kind"});
  EXPECT_DOUBLE_EQ(busy.at("owner.kind=pod"), 4);
  EXPECT_DOUBLE_EQ(busy.at("owner.kind=unattributed"), 4.5);
  EXPECT_DOUBLE_EQ(node.values(Metric::gpu_owner_utilization, {"owner.kind"}).at("owner.kind=pod"),
                   1);
}

TEST_F(AccountsTest, WhatAMeterSaysLateGoesToWhoOwnedTheDeviceThen) {
  node.say(Metric::gpu_energy_consumption, gpu, 0);
  const Owner first = pod("first");
  node.report("kubernetes", {.owners = {first}, .holdings = {holds(first, "GPU-a")}});
  node.publish();
  node.wait(seconds{8});
  const Owner second = pod("second");
  node.report("kubernetes", {.owners = {second}, .holdings = {holds(second, "GPU-a")}});
  node.publish();
  EXPECT_EQ(node.values(Metric::gpu_owner, {"k8s.pod.name"}), (Values{{"k8s.pod.name=second", 1}}));
  node.wait(seconds{2});
  node.say(Metric::gpu_energy_consumption, gpu, 1000);
  node.publish();
  node.wait(seconds{1});
  node.publish();
  EXPECT_EQ(node.values(Metric::gpu_owner_energy, {"k8s.pod.name"}),
            (Values{{"k8s.pod.name=second", 200}, {"", 0}}))
      << "and the first, whose time was covered, is gone with the rest";
}

TEST_F(AccountsTest, AnEndedOwnersCountersAreToldUntilTheMetersHaveCoveredItsTime) {
  node.say(Metric::gpu_energy_consumption, gpu, 0);
  const Owner first = pod("first");
  node.report("kubernetes", {.owners = {first}, .holdings = {holds(first, "GPU-a")}});
  node.publish();
  node.wait(seconds{8});
  node.report("kubernetes", {});
  node.publish();
  const auto energy = [&] { return node.values(Metric::gpu_owner_energy, {"k8s.pod.name"}); };
  EXPECT_EQ(energy(), (Values{{"k8s.pod.name=first", 0}, {"", 0}}));
  EXPECT_THAT(node.values(Metric::gpu_owner, {"k8s.pod.name"}), IsEmpty());
  node.wait(seconds{2});
  node.say(Metric::gpu_energy_consumption, gpu, 1000);
  node.publish();
  EXPECT_EQ(energy(), (Values{{"k8s.pod.name=first", 800}, {"", 200}}));
  node.wait(seconds{1});
  node.publish();
  EXPECT_EQ(energy(), (Values{{"", 200}}));
}

TEST_F(AccountsTest, ADevicesCounterLivesOnWhenItsOwnerChanges) {
  const auto birth = [&] {
    return node.registry.inspect([&](const View& view) {
      return view.find_live(Metric::gpu_energy_consumption, gpu)->birth;
    });
  };
  work(1, 1);
  const uint32_t before = birth();
  const Owner train = pod("train");
  node.report("kubernetes", {.owners = {train}, .holdings = {holds(train, "GPU-a")}});
  work(1, 1);
  EXPECT_EQ(birth(), before);
}

TEST_F(AccountsTest, ASharedGpuIsSplitByWhatProcessesUsed) {
  const Owner a = pod("a");
  const Owner b = pod("b");
  const EntityId of_a = node.add_process(gpu, 11);
  const EntityId of_b = node.add_process(gpu, 22);
  node.report("kubernetes", {.owners = {a, b}, .holdings = {holds(a, "GPU-a"), holds(b, "GPU-a")}});
  node.report("processes", {.members = {member(11, "container/a"), member(22, "container/b")}});
  work(1, 0.8);
  node.say_share(of_a, 0.6);
  node.say_share(of_b, 0.1);
  node.say(Metric::gpu_process_memory_used, of_a, 600);
  node.say(Metric::gpu_process_memory_used, of_b, 300);
  node.publish();
  for (int i = 0; i < 10; ++i) {
    work(1, 0.8);
    node.say_share(of_a, 0.6);
    node.say_share(of_b, 0.1);
  }
  node.publish();
  EXPECT_THAT(node.values(Metric::gpu_utilization, {"k8s.pod.name"}),
              ElementsAre(Pair("", testing::DoubleNear(0.8, 1e-9))))
      << "with two owners the device is nobody's alone";
  const Values energy = node.values(Metric::gpu_owner_energy, {"k8s.pod.name"});
  EXPECT_NEAR(energy.at("k8s.pod.name=a"), 1000 * 0.6 / 0.8, 1e-6);
  EXPECT_NEAR(energy.at("k8s.pod.name=b"), 1000 * 0.1 / 0.8, 1e-6);
  EXPECT_NEAR(energy.at(""), 1000 * 0.1 / 0.8, 1e-6);
  const Values memory = node.values(Metric::gpu_owner_memory_used, {"k8s.pod.name"});
  EXPECT_EQ(memory, (Values{{"k8s.pod.name=a", 600}, {"k8s.pod.name=b", 300}, {"", 100}}));
}

TEST_F(AccountsTest, WhatAProcessUsedBeforeItEndedIsStillItsOwners) {
  const Owner a = pod("a");
  const Owner b = pod("b");
  const EntityId of_a = node.add_process(gpu, 11);
  node.report("kubernetes", {.owners = {a, b}, .holdings = {holds(a, "GPU-a"), holds(b, "GPU-a")}});
  node.report("processes", {.members = {member(11, "container/a")}});
  work(1, 1);
  node.say_share(of_a, 1);
  node.publish();
  for (int i = 0; i < 5; ++i) {
    work(1, 1);
    node.say_share(of_a, 1);
  }
  node.end(of_a);
  work(5, 0);
  node.publish();
  EXPECT_NEAR(node.values(Metric::gpu_owner_busy_time, {"k8s.pod.name"}).at("k8s.pod.name=a"), 5,
              1e-9);
}

TEST_F(AccountsTest, ProcessesThatNobodyKnowsLeaveTheDeviceUnattributed) {
  const EntityId unknown = node.add_process(gpu, 99);
  const EntityId known = node.add_process(gpu, 11);
  node.report("processes",
              {.owners = {{OwnerKind::process, "process/11/5", {}, {{"process.pid", "11"}}}},
               .members = {member(11, "process/11/5", "proc")}});
  work(2, 0.5);
  node.say(Metric::gpu_process_memory_used, unknown, 10);
  node.say(Metric::gpu_process_memory_used, known, 20);
  node.publish();
  EXPECT_TRUE(node.values(Metric::gpu_utilization, {"owner.kind"}).contains(""));
  EXPECT_EQ(node.values(Metric::gpu_process_memory_used, {"process.pid", "owner.kind"}),
            (Values{{"process.pid=99", 10}, {"process.pid=11 owner.kind=process", 20}}));
}

TEST_F(AccountsTest, AnOwnerThatIsKnownBetterKeepsItsAccount) {
  node.add_process(gpu, 11);
  const Owner by_cgroup{
      OwnerKind::pod, "container/a", {}, {{"k8s.pod.uid", "uid-a"}, {"container.id", "a"}}};
  node.report("processes", {.owners = {by_cgroup}, .members = {member(11, "container/a")}});
  work(1, 1);
  node.publish();
  work(3, 1);
  const Owner a = pod("a");
  node.report("kubernetes", {.owners = {a}, .holdings = {holds(a, "GPU-a")}});
  work(2, 1);
  node.publish();
  EXPECT_NEAR(node.values(Metric::gpu_owner_busy_time, {"k8s.pod.name"}).at("k8s.pod.name=a"), 5,
              1e-9);
  EXPECT_THAT(node.values(Metric::gpu_owner, {"k8s.pod.uid", "k8s.pod.name"}), SizeIs(1));
}

TEST_F(AccountsTest, OtherEvidenceIsNotAnotherAccount) {
  const Owner a = pod("a");
  node.add_process(gpu, 11);
  node.report("kubernetes", {.owners = {a}});
  node.report("processes", {.members = {member(11, "container/a")}});
  work(1, 1);
  node.publish();
  const auto births = [&] {
    std::map<std::string, uint32_t> found;
    node.registry.read([&](const Snapshot& snapshot) {
      for (const Series& series : snapshot.series) {
        if (series.live && series.metric == Metric::gpu_owner_busy_time) {
          found[node.entities.attribute(series.entity, "owner.kind")] = series.birth;
        }
      }
    });
    return found;
  };
  const auto before = births();
  node.report("kubernetes", {.owners = {a}, .holdings = {holds(a, "GPU-a")}});
  work(1, 1);
  node.publish();
  EXPECT_EQ(births(), before);
  EXPECT_EQ(node.values(Metric::gpu_owner, {"owner.evidence"}),
            (Values{{"owner.evidence=pod_resources", 1}}));
}

TEST_F(AccountsTest, IdleHoldersOfASharedGpuAreNotWaitedFor) {
  const Owner a = pod("a");
  const Owner b = pod("b");
  const EntityId process = node.add_process(gpu, 11);
  node.say_share(process, 0.5);
  node.end(process);
  node.report("kubernetes", {.owners = {a, b}, .holdings = {holds(a, "GPU-a"), holds(b, "GPU-a")}});
  work(1, 0);
  node.publish();
  work(5, 0);
  node.publish();
  work(1, 0);
  node.publish();
  EXPECT_DOUBLE_EQ(
      node.values(Metric::gpu_owner_energy, {"owner.kind"}).at("owner.kind=unattributed"), 600);
}

}  // namespace
}  // namespace warpsight::identity

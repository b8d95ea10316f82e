#include "identity/identity.h"

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

class IdentityTest : public OneGpuTest {};

TEST_F(IdentityTest, TheOnlyOwnerStandsOnGaugesAndNeverOnCounters) {
  const Owner train = pod("train");
  node.report("kubernetes", {.owners = {train}, .holdings = {holds(train, "GPU-a")}});
  work(2, 0.5);
  node.publish();
  const auto keys = std::vector<std::string>{"k8s.pod.name", "owner.kind", "owner.evidence"};
  const std::string owned = "owner.kind=pod k8s.pod.name=train owner.evidence=pod_resources";
  EXPECT_THAT(node.values(Metric::gpu_memory_used, keys), ElementsAre(Pair(owned, 1000)));
  EXPECT_THAT(node.values(Metric::gpu_energy_consumption, keys), ElementsAre(Pair("", 5200)));
  EXPECT_THAT(node.values(Metric::gpu_owner, keys), ElementsAre(Pair(owned, 1)));
}

TEST_F(IdentityTest, InfoKeepsTheOwnerOffTheDeviceAndAllPutsItOnCounters) {
  const Owner train = pod("train");
  node.report("kubernetes", {.owners = {train}, .holdings = {holds(train, "GPU-a")}});
  node.registry.pause([&] { node.identity.configure({OwnerLabels::info, {}}); });
  node.publish();
  work(1, 0.5);
  node.publish();
  EXPECT_TRUE(node.values(Metric::gpu_memory_used, {"k8s.pod.name"}).contains(""));
  EXPECT_THAT(node.values(Metric::gpu_owner, {"k8s.pod.name"}), SizeIs(1));

  node.registry.pause([&] { node.identity.configure({OwnerLabels::all, {}}); });
  node.publish();
  work(1, 0.5);
  node.publish();
  EXPECT_TRUE(
      node.values(Metric::gpu_energy_consumption, {"k8s.pod.name"}).contains("k8s.pod.name=train"));
}

TEST_F(IdentityTest, ANewOwnerIsNotToldWhatWasReadBeforeIt) {
  const Owner first = pod("first");
  node.report("kubernetes", {.owners = {first}, .holdings = {holds(first, "GPU-a")}});
  work(5, 1.0);
  node.publish();
  work(5, 1.0);
  const Owner second = pod("second");
  node.report("kubernetes", {.owners = {second}, .holdings = {holds(second, "GPU-a")}});
  node.publish();
  EXPECT_THAT(node.values(Metric::gpu_utilization, {"k8s.pod.name"}), IsEmpty());
  work(5, 0.2);
  node.publish();
  EXPECT_THAT(node.values(Metric::gpu_utilization, {"k8s.pod.name"}),
              ElementsAre(Pair("k8s.pod.name=second", testing::DoubleEq(0.2))));
  EXPECT_EQ(node.values(Metric::gpu_owner, {"k8s.pod.name"}), (Values{{"k8s.pod.name=second", 1}}));
  EXPECT_NEAR(node.values(Metric::gpu_owner_busy_time, {"k8s.pod.name"}).at("k8s.pod.name=second"),
              1, 1e-9);
}

TEST_F(IdentityTest, ASlurmHoldingIsByMinorNotByIndex) {
  const EntityId other = node.add_gpu(1, "GPU-b", 0);
  const Owner job{OwnerKind::slurm_job, "slurm/7", {}, {{"slurm.job.id", "7"}}};
  node.report("slurm",
              {.owners = {job},
               .holdings = {{job.key, {DeviceName::Form::minor, "0", "nvidia"}, "scontrol"}}});
  node.say(Metric::gpu_memory_used, other, 5);
  work(1, 0);
  node.publish();
  EXPECT_EQ(node.values(Metric::gpu_owner, {"gpu.uuid", "slurm.job.id"}),
            (Values{{"gpu.uuid=GPU-b slurm.job.id=7", 1}}));
}

TEST_F(IdentityTest, OnMigTheInstanceIsTheUnit) {
  const EntityId one = node.add_mig(gpu, 1, "MIG-1");
  const EntityId two = node.add_mig(gpu, 2, "MIG-2");
  const Owner a = pod("a");
  const Owner b = pod("b");
  node.report(
      "kubernetes",
      {.owners = {a, b},
       .holdings = {holds(a, "MIG-2"),
                    {b.key, {DeviceName::Form::minor, "3", "nvidia", 1, -1}, "pod_resources"}}});
  work(1, 0);
  for (const EntityId instance : {one, two}) node.say(Metric::gpu_memory_used, instance, 7);
  for (int i = 0; i < 2; ++i) {
    node.wait(seconds{1});
    node.say(Metric::gpu_gr_engine_active, one, 0.5);
    node.publish();
  }
  EXPECT_EQ(node.values(Metric::gpu_owner, {"gpu.mig.instance_id", "k8s.pod.name"}),
            (Values{{"gpu.mig.instance_id=2 k8s.pod.name=a", 1},
                    {"gpu.mig.instance_id=1 k8s.pod.name=b", 1}}));
  EXPECT_EQ(node.values(Metric::gpu_memory_used, {"gpu.mig.instance_id", "k8s.pod.name"}),
            (Values{{"", 1000},
                    {"gpu.mig.instance_id=2 k8s.pod.name=a", 7},
                    {"gpu.mig.instance_id=1 k8s.pod.name=b", 7}}));
  EXPECT_DOUBLE_EQ(node.values(Metric::gpu_owner_busy_time, {"k8s.pod.name"}).at("k8s.pod.name=b"),
                   0.5);
}

TEST_F(IdentityTest, TheTenantIsTheFirstAttributeOfTheRuleThatTheOwnerHas) {
  node.registry.pause([&] {
    node.identity.configure(
        {OwnerLabels::gauges, {"k8s.pod.label.team", "k8s.namespace.name", "slurm.account"}});
  });
  const Owner with_team = pod("with", {{".k8s.pod.label.team", "ml"}});
  const Owner without = pod("without");
  node.add_gpu(1, "GPU-b", 1);
  node.report("kubernetes", {.owners = {with_team, without},
                             .holdings = {holds(with_team, "GPU-a"), holds(without, "GPU-b")}});
  node.publish();
  EXPECT_EQ(node.values(Metric::gpu_owner, {"gpu.uuid", "tenant", ".k8s.pod.label.team"}),
            (Values{{"gpu.uuid=GPU-a tenant=ml", 1}, {"gpu.uuid=GPU-b tenant=default", 1}}));
}

TEST_F(IdentityTest, APodOnADeviceItWasNotGivenIsToldOnceAndNotAtOnce) {
  const Owner a = pod("a");
  const Owner b = pod("b");
  node.add_process(gpu, 22);
  node.report("kubernetes", {.owners = {a, b}, .holdings = {holds(a, "GPU-a")}});
  node.report("processes", {.members = {member(22, "container/b")}});
  node.publish();
  EXPECT_THAT(node.events("gpu.owner.mismatch"), IsEmpty()) << "the kubelet may be late";
  for (int i = 0; i < 3; ++i) {
    node.wait(seconds{10});
    node.publish();
  }
  ASSERT_THAT(node.events("gpu.owner.mismatch"), SizeIs(1));
  EXPECT_EQ(node.events("gpu.owner.mismatch")[0].attribute("k8s.pod.name"), "b");
}

TEST_F(IdentityTest, ChangesOfOwnersAreEvents) {
  node.publish();
  const Owner train = pod("train");
  node.report("kubernetes", {.owners = {train}, .holdings = {holds(train, "GPU-a")}});
  node.publish();
  node.report("kubernetes", {});
  node.publish();
  const auto events = node.events("gpu.owner.changed");
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].message, "now owned by default/train/main");
  EXPECT_EQ(events[1].message, "no longer owned by default/train/main");
}

TEST_F(IdentityTest, AnEventIsOfWhoeverOwnedTheDeviceWhenItHappened) {
  const Owner first = pod("first");
  node.report("kubernetes", {.owners = {first}, .holdings = {holds(first, "GPU-a")}});
  node.batch.events.push_back({node.clock.now(), "gpu.xid", Severity::error, gpu, "fell over", {}});
  node.registry.apply(node.nvml, node.batch, node.clock.now());
  node.report("kubernetes", {});
  node.publish();
  ASSERT_THAT(node.events("gpu.xid"), SizeIs(1));
  EXPECT_EQ(node.events("gpu.xid")[0].attribute("k8s.pod.name"), "first");
}

TEST_F(IdentityTest, NothingIsJoinedAnewWhileNothingChanges) {
  const Owner train = pod("train");
  const Ownership same{.owners = {train}, .holdings = {holds(train, "GPU-a")}};
  node.report("kubernetes", same);
  work(1, 1);
  node.publish();
  const uint64_t joins = node.identity.joins();
  const auto births = [&] {
    return node.registry.read([](const Snapshot& snapshot) {
      uint32_t highest = 0;
      for (const Series& series : snapshot.series) highest = std::max(highest, series.birth);
      return highest;
    });
  };
  work(1, 1);
  node.publish();  // the owner's share of an interval is there from the second publish on
  const uint32_t born = births();
  for (int i = 0; i < 20; ++i) {
    node.report("kubernetes", same);
    work(1, 1);
    node.publish();
  }
  EXPECT_EQ(node.identity.joins(), joins);
  EXPECT_EQ(births(), born);
}

TEST_F(IdentityTest, AJobInAnEnvironmentIsBelievedOnlyOfItsOwnUser) {
  node.add_process(gpu, 11);
  const Owner job{
      OwnerKind::slurm_job, "slurm/7", {}, {{"slurm.job.id", "7"}, {"slurm.user", "bob"}}};
  const Owner process{OwnerKind::process, "process/11/5", {}, {{"process.pid", "11"}}};
  const auto claimed_by = [&](const std::string& user) {
    return Ownership{
        .owners = {{OwnerKind::slurm_job, "slurm/7", {}, {{"slurm.job.id", "7"}}}, process},
        .members = {{11, {"slurm/7", "process/11/5"}, "slurm_env", {{"process.owner", user}}}}};
  };
  const auto owner = [&] {
    node.wait(seconds{1});
    node.publish();
    return node.values(Metric::gpu_owner, {"slurm.job.id", "process.pid"});
  };
  node.report("slurm", {.owners = {job}, .managed_for = OwnerKind::slurm_job});
  node.report("processes", claimed_by("alice"));
  EXPECT_EQ(owner(), (Values{{"process.pid=11", 1}}));
  node.report("processes", claimed_by("bob"));
  EXPECT_EQ(owner(), (Values{{"slurm.job.id=7", 1}}));
  node.report("slurm", {.managed_for = OwnerKind::slurm_job});
  EXPECT_EQ(owner(), (Values{{"process.pid=11", 1}})) << "the job has ended";
}

TEST_F(IdentityTest, APodKnownByNameAndAProcessKnownByIdAreNotTakenForTwo) {
  const Owner by_name{OwnerKind::pod,
                      "pod/default/train/main",
                      {},
                      {{"k8s.pod.name", "train"}, {"k8s.container.name", "main"}}};
  const Owner by_id{OwnerKind::pod, "container/c1", {}, {{"k8s.pod.uid", "u"}}};
  node.add_process(gpu, 11);
  node.report("kubernetes", {.owners = {by_name},
                             .holdings = {{by_name.key, {DeviceName::Form::uuid, "GPU-a"}, "x"}}});
  node.report("processes", {.owners = {by_id}, .members = {member(11, "container/c1")}});
  work(2, 1);
  node.publish();
  EXPECT_THAT(node.values(Metric::gpu_memory_used, {"k8s.pod.name"}),
              ElementsAre(Pair("k8s.pod.name=train", 1000)));
  EXPECT_THAT(node.values(Metric::gpu_owner, {"k8s.pod.name"}), SizeIs(1));
}

TEST_F(IdentityTest, APodWithOneContainerIsKnownByItsUidUntilTheContainersIdIs) {
  Owner train = pod("train");
  train.aliases = {"pod/uid-train"};
  node.add_process(gpu, 11);
  node.report("kubernetes", {.owners = {train}, .holdings = {holds(train, "GPU-a")}});
  node.report("processes",
              {.owners = {{OwnerKind::pod, "container/c1", {}, {{"k8s.pod.uid", "uid-train"}}}},
               .members = {{11, {"container/c1", "pod/uid-train"}, "cgroup", {}}}});
  node.publish();
  EXPECT_THAT(node.values(Metric::gpu_owner, {"k8s.pod.name"}),
              ElementsAre(Pair("k8s.pod.name=train", 1)));
}

TEST_F(IdentityTest, AReusedPidIsAnotherOwner) {
  const auto run_of = [&](const std::string& start) {
    return Ownership{.owners = {{OwnerKind::process,
                                 "process/11/" + start,
                                 {},
                                 {{"process.pid", "11"}, {".process.start", start}}}},
                     .members = {member(11, "process/11/" + start, "proc")}};
  };
  node.add_process(gpu, 11);
  node.report("processes", run_of("5"));
  work(3, 1);
  node.publish();
  node.report("processes", run_of("900"));
  work(1, 1);
  node.publish();
  work(1, 1);
  node.publish();
  EXPECT_NEAR(node.values(Metric::gpu_owner_busy_time, {"process.pid"}).at("process.pid=11"), 2,
              1e-9);
  EXPECT_THAT(node.values(Metric::gpu_owner, {"process.pid"}), SizeIs(1));
}

TEST_F(IdentityTest, AnEventOfAnOwnerHasNothingOfTheOneBefore) {
  node.publish();
  const Owner first = pod("first", {{"k8s.statefulset.name", "set"}});
  node.report("kubernetes", {.owners = {first}, .holdings = {holds(first, "GPU-a")}});
  const Owner second = pod("second");
  node.report("kubernetes", {.owners = {second}, .holdings = {holds(second, "GPU-a")}});
  node.publish();
  for (const Event& event : node.events("gpu.owner.changed")) {
    if (event.attribute("k8s.pod.name") != "second") continue;
    EXPECT_EQ(event.attribute("k8s.statefulset.name"), "");
  }
  EXPECT_THAT(node.events("gpu.owner.changed"), SizeIs(3));
}

TEST_F(IdentityTest, TheReportNamesHoldersUsersAndTheEvidence) {
  const Owner a = pod("a");
  const EntityId process = node.add_process(gpu, 11);
  node.add_process(gpu, 99);
  node.report("kubernetes",
              {.owners = {a}, .holdings = {holds(a, "GPU-a")}, .lookups = {{"kubelet", "1 pod"}}});
  node.report("processes", {.members = {member(11, "container/a")}});
  node.say(Metric::gpu_process_memory_used, process, 600);
  node.publish();
  const OwnersReport report =
      node.registry.inspect([&](const View& view) { return node.identity.report(view); });
  ASSERT_THAT(report.devices, SizeIs(1));
  ASSERT_THAT(report.devices[0].owners, SizeIs(1));
  const DeviceOwner& owner = report.devices[0].owners[0];
  EXPECT_EQ(owner.name, "default/a/main");
  EXPECT_THAT(owner.held_by, ElementsAre("pod_resources"));
  EXPECT_THAT(owner.used_by, ElementsAre("cgroup"));
  ASSERT_THAT(owner.processes, SizeIs(1));
  EXPECT_EQ(owner.processes[0].memory, 600);
  ASSERT_THAT(report.devices[0].unknown, SizeIs(1));
  EXPECT_EQ(report.devices[0].unknown[0].pid, "99");
  ASSERT_THAT(report.lookups, SizeIs(2));
}

TEST(Identity, AFullNodeIsJoinedOnceAndToldWithoutMakingAnythingAnew) {
  TestNode node;
  Ownership ownership;
  Ownership members;
  for (int g = 0; g < 8; ++g) {
    const EntityId gpu = node.add_gpu(g, "GPU-" + std::to_string(g), g);
    for (int i = 0; i < 7; ++i) {
      const std::string uuid = "MIG-" + std::to_string(g) + "-" + std::to_string(i);
      const EntityId instance = node.add_mig(gpu, i, uuid);
      const int pid = 100 + 7 * g + i;
      node.add_process(instance, pid);
      members.members.push_back(member(pid, "container/p" + std::to_string(pid - 100)));
      ownership.holdings.push_back(holds(pod("p" + std::to_string(pid - 100)), uuid));
    }
  }
  for (int i = 0; i < 110; ++i) ownership.owners.push_back(pod("p" + std::to_string(i)));
  node.report("kubernetes", ownership);
  node.report("processes", members);
  node.publish();
  const uint64_t joins = node.identity.joins();
  const size_t entities = node.entities.size();
  for (int i = 0; i < 10; ++i) {
    node.wait(seconds{10});
    node.report("kubernetes", ownership);
    node.report("processes", members);
    node.publish();
  }
  EXPECT_EQ(node.identity.joins(), joins);
  EXPECT_EQ(node.entities.size(), entities);
  EXPECT_THAT(node.values(Metric::gpu_owner, {"gpu.mig.uuid", "k8s.pod.name"}), SizeIs(56));
}

TEST(Identity, ChurnLeavesNothingBehind) {
  TestNode node;
  std::vector<EntityId> gpus;
  for (int i = 0; i < 8; ++i) gpus.push_back(node.add_gpu(i, "GPU-" + std::to_string(i), 7 - i));
  size_t entities = 0;
  for (int round = 0; round < 125; ++round) {
    Ownership ownership;
    for (int i = 0; i < 8; ++i) {
      const Owner owner = pod("p" + std::to_string(round) + "-" + std::to_string(i));
      ownership.owners.push_back(owner);
      ownership.holdings.push_back(holds(owner, "GPU-" + std::to_string((i * 3 + round) % 8)));
    }
    const Ownership told = ownership;
    node.report("kubernetes", std::move(ownership));
    node.wait(seconds{1});
    for (const EntityId gpu : gpus) node.say(Metric::gpu_memory_used, gpu, 1);
    node.publish();
    const Values owned = node.values(Metric::gpu_memory_used, {"gpu.uuid", "k8s.pod.name"});
    for (size_t i = 0; i < 8; ++i) {
      EXPECT_TRUE(owned.contains("gpu.uuid=" + told.holdings[i].device.text +
                                 " k8s.pod.name=" + told.owners[i].attributes[1].value));
    }
    if (round == 1) entities = node.entities.size();
    EXPECT_TRUE(round < 2 || node.entities.size() == entities);
  }
}

}  // namespace
}  // namespace warpsight::identity

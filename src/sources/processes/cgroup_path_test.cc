#include "sources/processes/cgroup_path.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace warpsight::processes {
namespace {

constexpr std::string_view kId = "5454e3f59ef45348f66ce15b47d8db6706fd5e7565d3de64a0fc6713a2a0bc5b";
constexpr std::string_view kOther =
    "c4e6781b01106e118482e6ead11159e4e36e6fbb915fceeb1e2519942de6654e";
constexpr std::string_view kUid = "aec1fa29-9635-4dcc-9472-6fda7692c0cc";
constexpr std::string_view kUidOfSlice = "aec1fa29_9635_4dcc_9472_6fda7692c0cc";
constexpr std::string_view kHash = "0f2b1d7c8d9e4a5b6c7d8e9f00112233";

template <typename... Args>
CgroupOwner path(fmt::format_string<Args...> format, Args&&... args) {
  return parse_cgroup_path(fmt::format(format, std::forward<Args>(args)...));
}

void expect_pod(const CgroupOwner& owner, std::string_view uid, std::string_view id,
                std::string_view runtime) {
  EXPECT_EQ(owner.pod_uid, uid);
  EXPECT_EQ(owner.container_id, id);
  EXPECT_EQ(owner.runtime, runtime);
  EXPECT_TRUE(owner.kubernetes);
  EXPECT_TRUE(owner.slurm_job.empty());
}

void expect_container(const CgroupOwner& owner, std::string_view id, std::string_view runtime) {
  EXPECT_EQ(owner.container_id, id);
  EXPECT_EQ(owner.runtime, runtime);
  EXPECT_TRUE(owner.pod_uid.empty());
  EXPECT_TRUE(owner.slurm_job.empty());
}

void expect_nobody(const CgroupOwner& owner) {
  EXPECT_EQ(owner.pod_uid, "");
  EXPECT_EQ(owner.container_id, "");
  EXPECT_EQ(owner.slurm_job, "");
  EXPECT_EQ(owner.slurm_step, "");
}

TEST(CgroupPath, PodsOfTheCgroupfsDriver) {
  expect_pod(path("/kubepods/besteffort/pod{}/{}", kUid, kId), kUid, kId, "");
  expect_pod(path("/kubepods/burstable/pod{}/{}", kUid, kId), kUid, kId, "");
  expect_pod(path("/kubepods/pod{}/{}", kUid, kId), kUid, kId, "");
  expect_pod(path("/kubepods/burstable/pod{}/crio-{}", kUid, kId), kUid, kId, "cri-o");
}

TEST(CgroupPath, PodsOfTheSystemdDriver) {
  constexpr auto kSlices =
      "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{}.slice/{}-{}.scope";
  expect_pod(path(kSlices, kUidOfSlice, "cri-containerd", kId), kUid, kId, "containerd");
  expect_pod(path(kSlices, kUidOfSlice, "crio", kId), kUid, kId, "cri-o");
  expect_pod(path(kSlices, kUidOfSlice, "docker", kId), kUid, kId, "docker");
  expect_pod(path(kSlices, kUidOfSlice, "crio-conmon", kId), kUid, "", "");
  expect_pod(path("/kubepods.slice/kubepods-pod{}.slice/cri-containerd-{}.scope", kUidOfSlice, kId),
             kUid, kId, "containerd");
  expect_pod(path("/system.slice/containerd.service/kubepods-besteffort-pod{}.slice:"
                  "cri-containerd:{}",
                  kUidOfSlice, kId),
             kUid, kId, "containerd");
}

TEST(CgroupPath, AStaticPodIsKnownByTheHashOfItsConfiguration) {
  expect_pod(path("/kubepods/burstable/pod{}/{}", kHash, kId), kHash, kId, "");
  expect_pod(path("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{}.slice/"
                  "cri-containerd-{}.scope",
                  kHash, kId),
             kHash, kId, "containerd");
}

TEST(CgroupPath, ThePodInsideANodeThatIsAContainerCounts) {
  expect_pod(path("/docker/{}/kubelet/kubepods/besteffort/pod{}/{}", kOther, kUid, kId), kUid, kId,
             "");
  expect_pod(path("/system.slice/docker-{}.scope/kubelet.slice/kubelet-kubepods.slice/"
                  "kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod{}.slice/"
                  "cri-containerd-{}.scope",
                  kOther, kUidOfSlice, kId),
             kUid, kId, "containerd");
}

TEST(CgroupPath, OfNestedOnesTheOutermostIsWhatThisNodeKnows) {
  expect_pod(path("/kubepods/pod{}/{}/docker/{}", kUid, kId, kOther), kUid, kId, "");
  expect_container(path("/docker/{}/docker/{}", kId, kOther), kId, "docker");
}

TEST(CgroupPath, ContainersOutsideKubernetes) {
  expect_container(path("/docker/{}", kId), kId, "docker");
  expect_container(path("/system.slice/docker-{}.scope", kId), kId, "docker");
  expect_container(path("/machine.slice/libpod-{}.scope", kId), kId, "podman");
  expect_container(path("/user.slice/user-1000.slice/user@1000.service/user.slice/"
                        "libpod-{}.scope/container",
                        kId),
                   kId, "podman");
  expect_container(path("/libpod_parent/libpod-{}", kId), kId, "podman");
  expect_container(path("/ecs/0123/{}", kId), kId, "");
  expect_container(path("/lxc/web-1"), "web-1", "lxc");
  expect_container(path("/lxc.payload.web-1/system.slice/x.service"), "web-1", "lxc");
  EXPECT_FALSE(path("/docker/{}", kId).kubernetes);
  expect_nobody(path("/machine.slice/libpod-conmon-{}.scope", kId));
  expect_nobody(path("/lxc.monitor.web-1"));
}

TEST(CgroupPath, WhatIsNoIdIsNotTaken) {
  for (const std::string_view id : {kId.substr(1), std::string_view("web"), kUid}) {
    expect_nobody(path("/docker/{}", id));
    expect_nobody(path("/system.slice/docker-{}.scope", id));
  }
  expect_nobody(path("/docker/{}", std::string(64, 'G')));
  expect_nobody(path("/kubepods/burstable/pod{}", kUid.substr(1)));
  expect_nobody(path("/system.slice/pod{}", kUid));
  expect_nobody(path("/init.scope"));
  EXPECT_TRUE(path("/init.scope").path_seen);
}

TEST(CgroupPath, SlurmJobsAndTheirSteps) {
  const auto expect_step = [](const CgroupOwner& owner, std::string_view step) {
    EXPECT_EQ(owner.slurm_job, "42");
    EXPECT_EQ(owner.slurm_step, step);
    EXPECT_TRUE(owner.container_id.empty());
  };
  for (const std::string_view step : {"batch", "extern", "interactive", "0", "12", "0.1", "0+1"}) {
    const CgroupOwner v1 = path("/slurm_node01/uid_1001/job_42/step_{}/task_0", step);
    expect_step(v1, step);
    EXPECT_EQ(v1.slurm_uid, 1001U);
    const CgroupOwner v2 = path("/system.slice/slurmstepd.scope/job_42/step_{}/user/task_0", step);
    expect_step(v2, step);
    EXPECT_FALSE(v2.slurm_uid);
  }
  expect_step(path("/slurm/uid_0/job_42"), "");
  expect_step(path("/system.slice/node01_slurmstepd.scope/job_42/step_0/slurm"), "0");
  expect_step(path("/slurm/uid_0/job_42/step_zero"), "");
}

TEST(CgroupPath, WhatOnlyLooksLikeAJobIsNone) {
  expect_nobody(path("/slurm/job_42/step_0"));
  expect_nobody(path("/slurm/uid_1/job_0"));
  expect_nobody(path("/slurm/uid_1/job_4x"));
  expect_nobody(path("/slurm/uid_x/job_42"));
  expect_nobody(path("/slurm/uid_1/system/job_42"));
  expect_nobody(path("/system.slice/slurmstepd.scope/system"));
  expect_nobody(path("/system.slice/job_42/step_0"));
}

TEST(CgroupPath, AUsersOwnTreeNamesNoJobAndNoPod) {
  constexpr auto kOwn = "/user.slice/user-1000.slice/user@1000.service/app.slice/{}";
  expect_nobody(path(kOwn, "slurmstepd.scope/job_42/step_0"));
  expect_nobody(path(kOwn, fmt::format("kubepods/pod{}", kUid)));
  const CgroupOwner called_a_pods = path(kOwn, fmt::format("cri-containerd-{}.scope", kId));
  expect_container(called_a_pods, kId, "containerd");
  EXPECT_FALSE(called_a_pods.kubernetes);
}

TEST(CgroupPath, AContainerOfAUsersNamingIsKnownToBeOne) {
  EXPECT_TRUE(path("/user.slice/user-1000.slice/libpod-{}.scope", kId).users_container);
  EXPECT_FALSE(path("/machine.slice/libpod-{}.scope", kId).users_container);
  EXPECT_FALSE(path("/docker/{}/user.slice/user-0.slice/session-1.scope", kId).users_container)
      << "a user of the container, not of the machine";
}

TEST(CgroupPath, AContainerInsideAJobIsToldBesideIt) {
  const CgroupOwner owner =
      path("/system.slice/slurmstepd.scope/job_42/step_0/user/libpod-{}.scope", kId);
  EXPECT_EQ(owner.slurm_job, "42");
  EXPECT_EQ(owner.container_id, kId);
}

TEST(CgroupPath, AJobInsideAPodOrAContainerIsTheirs) {
  expect_pod(path("/kubepods/pod{}/{}/slurm/uid_0/job_42", kUid, kId), kUid, kId, "");
  expect_pod(path("/kubepods/pod{}/{}/system.slice/slurmstepd.scope/job_42/step_0/user", kUid, kId),
             kUid, kId, "");
  expect_container(path("/docker/{}/system.slice/slurmstepd.scope/job_42/step_0", kId), kId,
                   "docker");
}

TEST(CgroupPath, FromInsideACgroupNamespaceTheRestOfAPathStillTells) {
  expect_pod(path("/../../pod{}/{}", kUid, kId), kUid, kId, "");
  expect_pod(path("/../../burstable/pod{}/{}", kUid, kId), kUid, kId, "");
  expect_pod(path("/../../kubepods-pod{}.slice/cri-containerd-{}.scope", kUidOfSlice, kId), kUid,
             kId, "containerd");
  const CgroupOwner sibling = path("/../cri-containerd-{}.scope", kId);
  EXPECT_EQ(sibling.container_id, kId);
  EXPECT_TRUE(sibling.kubernetes);
}

TEST(CgroupPath, ARootAloneTellsNothingAndIsKnownToTellNothing) {
  for (const std::string_view text : {"0::/\n", "0::/..\n", "0::/../..\n", "", "12:pids:/\n0::/\n",
                                      "no cgroup at all", "x:y:/docker"}) {
    const CgroupOwner owner = parse_cgroup(text);
    expect_nobody(owner);
    EXPECT_FALSE(owner.path_seen) << text;
  }
}

// As Slurm 22.05 and 24.11 leave a step's process on cgroup v1: most controllers know nothing.
TEST(CgroupFile, OneControllerThatKnowsIsEnough) {
  const CgroupOwner owner = parse_cgroup(
      "9:name=systemd:/\n8:pids:/\n7:blkio:/\n"
      "6:freezer:/slurm_vm/uid_1001/job_2/step_0\n"
      "5:devices:/slurm_vm/uid_1001/job_2/step_0/task_0\n"
      "4:memory:/slurm_vm/uid_1001/job_2/step_0/task_0\n"
      "3:cpuset:/\n2:cpuacct:/slurm_vm/uid_1001/job_2/step_0/task_0\n1:cpu:/\n0::/\n");
  EXPECT_EQ(owner.slurm_job, "2");
  EXPECT_EQ(owner.slurm_step, "0");
  EXPECT_EQ(owner.slurm_uid, 1001U);
  EXPECT_FALSE(owner.contradictory);
}

TEST(CgroupFile, ControllersOutsideThePodDoNotContradictIt) {
  const CgroupOwner owner = parse_cgroup(
      fmt::format("12:rdma:/docker/{0}\n11:memory:/docker/{0}/kubelet/kubepods/pod{1}/{2}\n"
                  "10:cpu:/docker/{0}/kubelet/kubepods/pod{1}\n0::/docker/{0}\n",
                  kOther, kUid, kId));
  expect_pod(owner, kUid, kId, "");
  EXPECT_FALSE(owner.contradictory);
}

TEST(CgroupFile, WhatAUserNamedDoesNotContradictWhatTheMachineNamed) {
  const CgroupOwner owner =
      parse_cgroup(fmt::format("2:name=systemd:/user.slice/user-1000.slice/libpod-{}.scope\n"
                               "1:memory:/docker/{}\n",
                               kOther, kId));
  expect_container(owner, kId, "docker");
  EXPECT_FALSE(owner.users_container);
  EXPECT_FALSE(owner.contradictory);
}

TEST(CgroupFile, OwnersThatContradictEachOtherAreNotToldButTheOtherKindIs) {
  const CgroupOwner owner = parse_cgroup(
      fmt::format("3:memory:/slurm/uid_1/job_2\n2:cpu:/slurm/uid_1/job_3\n0::/docker/{}\n", kId));
  EXPECT_TRUE(owner.contradictory);
  EXPECT_EQ(owner.slurm_job, "");
  EXPECT_FALSE(owner.slurm_uid);
  EXPECT_EQ(owner.container_id, kId);
  const CgroupOwner steps =
      parse_cgroup("3:memory:/slurm/uid_1/job_2/step_0\n2:cpu:/slurm/uid_1/job_2/step_1\n");
  EXPECT_EQ(steps.slurm_job, "2");
  EXPECT_EQ(steps.slurm_step, "");
}

}  // namespace
}  // namespace warpsight::processes

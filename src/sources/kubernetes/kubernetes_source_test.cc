#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/kubernetes/source_for_test.h"

namespace warpsight::kubernetes {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeKubelet;
using testing::gpu;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::known_pod;
using ::testing::Not;
using testing::pod_with;
using ::testing::UnorderedElementsAre;

class KubernetesSourceTest : public testing::SourceFixture {};

TEST_F(KubernetesSourceTest, DevicesBelongToWhomTheKubeletGaveThem) {
  // Neither the order of pods nor that of devices is that of the GPUs.
  metadata_.put(known_pod("train-0", "u1"));
  metadata_.put(known_pod("infer-0", "u2"));
  kubelet_.list({pod_with("train-0", {gpu(3), gpu(0)}), pod_with("infer-0", {gpu(1)})});
  kubelet_.allocatable({{"nvidia.com/gpu", {gpu(2), gpu(3), gpu(0), gpu(1)}}});
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(0), "pod/u1/main " + gpu(3),
                                  "pod/u2/main " + gpu(1)));
  EXPECT_EQ(told_.holdings.at(0).evidence, "pod_resources");
  std::vector<std::string> managed;
  for (const DeviceName& device : told_.managed) managed.push_back(device.text);
  EXPECT_THAT(managed, ElementsAre(gpu(0), gpu(1), gpu(2), gpu(3)));
  EXPECT_THAT(explanation(), HasSubstr("3 devices given to 2 containers, of 4 devices known"));
  EXPECT_THAT(explanation(), HasSubstr("pods of this node: fake"));
}

TEST_F(KubernetesSourceTest, AnOwnerWearsWhatMetadataKnows) {
  set("pod_labels", "team,absent");
  metadata_.node.push_back({"cloud.region", "eu-1"});
  Pod pod = known_pod("train-0", "u1");
  pod.labels = {{"team", "red"}, {"app", "llm"}};
  pod.workload = {{"k8s.job.name", "train"}};
  metadata_.put(pod);
  kubelet_.list({pod_with("train-0", {gpu(0)})});
  ASSERT_TRUE(run());
  const Owner* const train = owner("pod/u1/main");
  ASSERT_NE(train, nullptr);
  EXPECT_EQ(train->kind, OwnerKind::pod);
  EXPECT_THAT(train->aliases, UnorderedElementsAre("container/c-u1", "pod/u1"));
  EXPECT_THAT(train->attributes,
              UnorderedElementsAre(
                  Attribute{"k8s.namespace.name", "default"}, Attribute{"k8s.pod.name", "train-0"},
                  Attribute{"k8s.pod.uid", "u1"}, Attribute{"k8s.container.name", "main"},
                  Attribute{"container.id", "c-u1"}, Attribute{"k8s.node.name", "worker-3"},
                  Attribute{"cloud.region", "eu-1"}, Attribute{"k8s.job.name", "train"},
                  Attribute{"k8s.pod.label.team", "red"}, Attribute{".k8s.pod.label.app", "llm"}));
}

TEST_F(KubernetesSourceTest, AllLabelsLeaveTheAgentWhenAsked) {
  set("pod_labels", "*");
  Pod pod = known_pod("train-0", "u1");
  pod.labels = {{"app", "llm"}};
  metadata_.put(pod);
  ASSERT_TRUE(run());
  EXPECT_THAT(owner("pod/u1/main")->attributes, Contains(Attribute{"k8s.pod.label.app", "llm"}));
}

TEST_F(KubernetesSourceTest, OfManyLabelsThoseThatLeaveComeFirst) {
  set("pod_labels", "wanted");
  Pod pod = known_pod("train-0", "u1");
  for (int i = 0; i < 300; ++i) pod.labels.push_back({fmt::format("l{}", i), "x"});
  pod.labels.push_back({"wanted", "red"});
  metadata_.put(pod);
  ASSERT_TRUE(run());
  const auto& attributes = owner("pod/u1/main")->attributes;
  EXPECT_THAT(attributes, Contains(Attribute{"k8s.pod.label.wanted", "red"}));
  EXPECT_THAT(attributes, Contains(Attribute{".k8s.pod.label.l254", "x"}));
  EXPECT_THAT(attributes, Not(Contains(Attribute{".k8s.pod.label.l255", "x"})));
}

TEST_F(KubernetesSourceTest, ContainersWithoutDevicesAreOwnersToo) {
  Pod pod = known_pod("web-0", "u9");
  pod.containers.push_back({.name = "proxy", .id = ""});
  metadata_.put(pod);
  ASSERT_TRUE(run());
  EXPECT_THAT(owners(), ElementsAre("pod/u9/main", "pod/u9/proxy"));
  EXPECT_THAT(owner("pod/u9/main")->aliases, ElementsAre("container/c-u9"));
  EXPECT_THAT(owner("pod/u9/proxy")->aliases, IsEmpty());
  EXPECT_THAT(told_.holdings, IsEmpty());
}

TEST_F(KubernetesSourceTest, TwoContainersShareATimeSlicedGpu) {
  metadata_.put(known_pod("a", "u1"));
  metadata_.put(known_pod("b", "u2"));
  kubelet_.list({pod_with("a", {gpu(0) + "::0", gpu(0) + "::3"}, "nvidia.com/gpu.shared"),
                 pod_with("b", {gpu(0) + "::1"}, "nvidia.com/gpu.shared")});
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(0), "pod/u2/main " + gpu(0)));
  EXPECT_EQ(told_.managed.size(), 1U);
}

TEST_F(KubernetesSourceTest, MigDevicesAreHeldByName) {
  const std::string mig = "MIG-12aa7c89-bb90-59b7-ac2c-2e9cf0298925";
  metadata_.put(known_pod("a", "u1"));
  kubelet_.list({pod_with("a", {mig, "MIG-" + gpu(1) + "/7/0"}, "nvidia.com/mig-1g.10gb")});
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(1), "pod/u1/main " + mig));
  EXPECT_EQ(told_.holdings.at(0).device.gpu_instance, 7);
}

TEST_F(KubernetesSourceTest, ClaimedDevicesAreThoseOfTheResourceSlices) {
  metadata_.put(known_pod("a", "u1"));
  metadata_.devices["gpu.nvidia.com/worker-3/gpu-0"] = {DeviceName::Form::uuid, gpu(5), "nvidia"};
  PodGrants pod = pod_with("a", {});
  pod.containers.at(0).claimed = {
      {.driver = "gpu.nvidia.com", .pool = "worker-3", .device = "gpu-0", .cdi = {}},
      {.driver = "gpu.nvidia.com",
       .pool = "worker-3",
       .device = "gpu-1",
       .cdi = {"a.com/x=1", "nvidia.com/gpu=" + gpu(6)}},
      {.driver = "gpu.nvidia.com", .pool = "worker-3", .device = "gpu-2", .cdi = {}},
      {.driver = "dra.net", .pool = "worker-3", .device = "eth1", .cdi = {}}};
  kubelet_.list({pod});
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(5), "pod/u1/main " + gpu(6)));
  EXPECT_EQ(told_.holdings.at(0).evidence, "dra");
  EXPECT_THAT(explanation(), HasSubstr("1 ids name no known GPU, such as gpu.nvidia.com gpu-2"));
}

TEST_F(KubernetesSourceTest, OtherResourcesAreNoGpus) {
  metadata_.put(known_pod("a", "u1"));
  kubelet_.list({pod_with("a", {"0", gpu(1)}, "example.com/h100")});
  ASSERT_TRUE(run());
  EXPECT_THAT(told_.holdings, IsEmpty());
}

TEST_F(KubernetesSourceTest, ResourcesOfOnesOwnAreGpusOfTheirVendor) {
  set("resources", "example.com/h100=nvidia");
  metadata_.put(known_pod("a", "u1"));
  kubelet_.list({pod_with("a", {gpu(1)}, "example.com/h100")});
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(1)));
}

TEST_F(KubernetesSourceTest, AnAnswerAsBeforeIsNotToldAgain) {
  metadata_.put(known_pod("train-0", "u1"));
  kubelet_.list({pod_with("train-0", {gpu(0)})});
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(run());
  EXPECT_EQ(reports_, 1);
  EXPECT_EQ(kubelet_.asked("List"), 6);
}

TEST_F(KubernetesSourceTest, AnotherOrderIsNothingNew) {
  metadata_.put(known_pod("a", "u1"));
  metadata_.put(known_pod("b", "u2"));
  kubelet_.list({pod_with("a", {gpu(0), gpu(1)}), pod_with("b", {gpu(2)})});
  ASSERT_TRUE(run());
  kubelet_.list({pod_with("b", {gpu(2)}), pod_with("a", {gpu(1), gpu(0)})});
  ASSERT_TRUE(run(seconds{10}));
  EXPECT_EQ(kubelet_.asked("List"), 2);
  EXPECT_EQ(reports_, 1);
}

TEST_F(KubernetesSourceTest, AChangeOfProcessesOrPodsAsksTheKubeletAtOnce) {
  ASSERT_TRUE(run());
  ASSERT_TRUE(run());
  ASSERT_EQ(kubelet_.asked("List"), 1);
  entities_.intern(EntityKind::process, kNoEntity, {{"process.pid", "42"}});
  ASSERT_TRUE(run());
  EXPECT_EQ(kubelet_.asked("List"), 2);
  metadata_.put(known_pod("a", "u1"));
  ASSERT_TRUE(run());
  EXPECT_EQ(kubelet_.asked("List"), 3);
}

TEST_F(KubernetesSourceTest, TheKubeletIsNotAskedTwiceASecond) {
  ASSERT_TRUE(run());
  metadata_.put(known_pod("a", "u1"));
  kubelet_.list({pod_with("a", {gpu(0)})});
  ASSERT_TRUE(run(std::chrono::milliseconds{100}));
  EXPECT_EQ(kubelet_.asked("List"), 1);
  ASSERT_TRUE(run());  // and the wish is not forgotten
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(0)));
}

TEST_F(KubernetesSourceTest, EndedPodsHoldNothingWhateverTheKubeletLists) {
  metadata_.put(known_pod("job-1", "u1"));
  kubelet_.list({pod_with("job-1", {gpu(0)})});
  ASSERT_TRUE(run());
  ASSERT_THAT(held(), ElementsAre("pod/u1/main " + gpu(0)));
  Pod ended = known_pod("job-1", "u1");
  ended.ended = true;
  metadata_.put(ended);
  ASSERT_TRUE(run());
  EXPECT_THAT(told_.holdings, IsEmpty());
  EXPECT_THAT(told_.owners, IsEmpty());
}

TEST_F(KubernetesSourceTest, DeletedPodsHoldNothingWhateverTheKubeletLists) {
  metadata_.put(known_pod("a", "u1"));
  kubelet_.list({pod_with("a", {gpu(0)})});
  ASSERT_TRUE(run());
  metadata_.remove("a");
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(run());
  EXPECT_THAT(told_.holdings, IsEmpty());
  EXPECT_THAT(told_.owners, IsEmpty());
}

TEST_F(KubernetesSourceTest, ANewPodOfAnOldNameHoldsOnlyWhatItWasGiven) {
  metadata_.put(known_pod("train-0", "u1"));
  kubelet_.list({pod_with("train-0", {gpu(0)})});
  ASSERT_TRUE(run());
  metadata_.put(known_pod("train-0", "u2"));
  kubelet_.list({pod_with("train-0", {gpu(7)})});
  // The kubelet cannot be asked again so soon: what it said was of the old pod.
  ASSERT_TRUE(run(std::chrono::milliseconds{100}));
  EXPECT_THAT(held(), IsEmpty());
  ASSERT_TRUE(run());
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/u2/main " + gpu(7)));
}

TEST_F(KubernetesSourceTest, ANewPodOfAnOldNameMayHaveTheOldDevice) {
  metadata_.put(known_pod("train-0", "u1"));
  kubelet_.list({pod_with("train-0", {gpu(0)})});
  ASSERT_TRUE(run());
  metadata_.put(known_pod("train-0", "u2"));
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), IsEmpty()) << "the kubelet may not know the new one yet";
  ASSERT_TRUE(run());
  EXPECT_EQ(kubelet_.asked("List"), 3) << "and it is asked again at once";
  EXPECT_THAT(held(), ElementsAre("pod/u2/main " + gpu(0)));
}

TEST_F(KubernetesSourceTest, TwoPodsOfOneNameHoldNothingUntilOneIsLeft) {
  metadata_.put(known_pod("train-0", "u2"));
  metadata_.put(known_pod("other", "u3"));
  kubelet_.list(
      {pod_with("train-0", {gpu(0)}), pod_with("other", {gpu(1)}), pod_with("train-0", {gpu(7)})});
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/u3/main " + gpu(1)));
  EXPECT_THAT(explanation(), HasSubstr("two pods had one name"));
  kubelet_.list({pod_with("other", {gpu(1)}), pod_with("train-0", {gpu(7)})});
  ASSERT_TRUE(run(seconds{10}));
  EXPECT_THAT(held(), ElementsAre("pod/u2/main " + gpu(7), "pod/u3/main " + gpu(1)));
}

TEST_F(KubernetesSourceTest, APodWaitsForItsMetadata) {
  kubelet_.list({pod_with("late", {gpu(0)})});
  ASSERT_TRUE(run());
  ASSERT_TRUE(run(seconds{3}));
  EXPECT_EQ(reports_, 0);
  metadata_.put(known_pod("late", "u1"));
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(0)));
  EXPECT_EQ(reports_, 1);
}

TEST_F(KubernetesSourceTest, APodWithoutMetadataIsToldByItsNamesInTheEnd) {
  kubelet_.list({pod_with("late", {gpu(0)})});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(run());
  EXPECT_EQ(reports_, 0);
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/default/late/main " + gpu(0)));
  const Owner* const late = owner("pod/default/late/main");
  ASSERT_NE(late, nullptr);
  EXPECT_THAT(late->attributes, IsSupersetOf({Attribute{"k8s.namespace.name", "default"},
                                              Attribute{"k8s.pod.name", "late"},
                                              Attribute{"k8s.container.name", "main"}}));
}

TEST_F(KubernetesSourceTest, NobodyWaitsForMetadataThatCannotCome) {
  metadata_.problem = "the API server forbids it";
  kubelet_.list({pod_with("a", {gpu(0)})});
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/default/a/main " + gpu(0)));
}

TEST_F(KubernetesSourceTest, ANewPodWaitsThroughAPassingProblemOfMetadata) {
  metadata_.put(known_pod("old", "u0"));
  metadata_.problem = "the API server does not answer";
  kubelet_.list({pod_with("new", {gpu(0)})});
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), IsEmpty());
}

TEST_F(KubernetesSourceTest, WithoutMetadataPodsAreToldByTheirNames) {
  set("metadata", "none");
  kubelet_.list({pod_with("a", {gpu(0)}), pod_with("plain", {})});
  ASSERT_TRUE(run());
  EXPECT_THAT(owners(), ElementsAre("pod/default/a/main"));
}

TEST_F(KubernetesSourceTest, TakenOutItTellsOfNobody) {
  metadata_.put(known_pod("a", "u1"));
  ASSERT_TRUE(run());
  batch_.clear();
  source_->retire(batch_);
  ASSERT_TRUE(batch_.ownership);
  EXPECT_TRUE(batch_.ownership->says_as({}));
}

TEST_F(KubernetesSourceTest, ASocketUnderTheRootIsFoundFirst) {
  FakeKubelet elsewhere;
  elsewhere.list({pod_with("other", {gpu(9)})});
  const TestDir root;
  std::filesystem::create_directories(root.path() + kubelet_.path());
  std::filesystem::remove(root.path() + kubelet_.path());
  std::filesystem::create_symlink(elsewhere.path(), root.path() + kubelet_.path());
  context_.root = root.path();
  set("metadata", "none");
  ASSERT_TRUE(run());
  EXPECT_THAT(owners(), ElementsAre("pod/default/other/main"));
}

}  // namespace
}  // namespace warpsight::kubernetes

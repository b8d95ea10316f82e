#include "sources/kubernetes/pod_resources/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/kubernetes/cluster_for_test.h"

namespace warpsight::kubernetes {
namespace {

using protozero::pbf_writer;
using testing::encode_allocatable;
using testing::encode_pods;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PodResourcesAnswers, NameDevicesOfContainers) {
  const std::vector<PodGrants> pods = {
      {.space = "default",
       .name = "train-0",
       .containers = {{.name = "worker",
                       .devices = {{"nvidia.com/gpu", {"GPU-3", "GPU-0"}}, {"rdma/hca", {"7"}}},
                       .claimed = {}},
                      {.name = "sidecar", .devices = {}, .claimed = {}}}},
      {.space = "dra",
       .name = "infer-0",
       .containers = {{.name = "srv",
                       .devices = {},
                       .claimed = {{.driver = "gpu.nvidia.com",
                                    .pool = "worker-3",
                                    .device = "gpu-1",
                                    .cdi = {"k8s.gpu.nvidia.com/device=gpu-1", "a/b=c"}}}}}}};
  const auto decoded = decode_pods(encode_pods(pods));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, pods);
}

TEST(PodResourcesAnswers, NameAllocatableDevices) {
  const std::vector<GrantedDevices> all = {{"nvidia.com/gpu", {"GPU-3", "GPU-0"}},
                                           {"nvidia.com/gpu", {"GPU-1"}}};
  const auto decoded = decode_allocatable(encode_allocatable(all));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, all);
}

TEST(PodResourcesAnswers, AreEmptyOnANodeWithoutPods) {
  EXPECT_THAT(decode_pods("").value(), IsEmpty());
  EXPECT_THAT(decode_allocatable("").value(), IsEmpty());
}

TEST(PodResourcesAnswers, FieldsOfLaterKubeletsArePassedOver) {
  std::string bytes;
  {
    pbf_writer list(bytes);
    list.add_string(900, "new");
    pbf_writer pod(list, 1);
    pod.add_int64(1, 5);  // as if the name were a number: not the field that is known
    pod.add_string(1, "train-0");
    pod.add_string(2, "default");
    pod.add_fixed64(77, 1);
  }
  const auto decoded = decode_pods(bytes);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->at(0).name, "train-0");
}

TEST(PodResourcesAnswers, CutShortAreAnErrorThatSaysWhatToLookAt) {
  std::string bytes = encode_pods({testing::pod_with("train-0", {"GPU-0"})});
  bytes.pop_back();
  const auto decoded = decode_pods(bytes);
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().message, HasSubstr("not understood"));
  EXPECT_THAT(decoded.error().hint, HasSubstr("kubelet"));
}

TEST(PodResourcesAnswers, NamesThatKubernetesWouldNotHaveAreAnError) {
  for (const std::string& bad :
       {std::string(), std::string("a b"), std::string("\xff"), std::string(254, 'x')}) {
    EXPECT_FALSE(decode_pods(encode_pods({testing::pod_with(bad, {"GPU-0"})}))) << bad;
  }
}

TEST(PodResourcesAnswers, IdsAreThePluginsAffair) {
  const std::vector<PodGrants> pods = {testing::pod_with("a", {"the \xff one"}, "odd/thing")};
  EXPECT_EQ(decode_pods(encode_pods(pods)).value(), pods);
}

TEST(PodResourcesAnswers, BeyondTheLimitsAreRefused) {
  const std::vector<PodGrants> many(kMostPods + 1, testing::pod_with("a", {}));
  EXPECT_THAT(decode_pods(encode_pods(many)).error().message, HasSubstr("more than 5000 pods"));
  const GrantedDevices devices{"nvidia.com/gpu", std::vector<std::string>(kMostDevices + 1, "0")};
  EXPECT_THAT(decode_allocatable(encode_allocatable({devices})).error().message,
              HasSubstr("more than 100000 devices"));
}

}  // namespace
}  // namespace warpsight::kubernetes

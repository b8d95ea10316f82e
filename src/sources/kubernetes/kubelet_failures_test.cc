#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/kubernetes/source_for_test.h"

namespace warpsight::kubernetes {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::gpu;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::known_pod;
using testing::pod_with;

class KubeletFailures : public testing::SourceFixture {};

TEST_F(KubeletFailures, AKubeletThatRestartsIsAskedAgain) {
  metadata_.put(known_pod("a", "u1"));
  kubelet_.list({pod_with("a", {gpu(0)})});
  ASSERT_TRUE(run());
  kubelet_.stop();
  const auto away = run(seconds{10});
  ASSERT_FALSE(away);
  EXPECT_THAT(away.error().hint, HasSubstr("mount"));
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(0)));
  kubelet_.list({pod_with("a", {gpu(1)})});
  kubelet_.allocatable({{"nvidia.com/gpu", {gpu(0), gpu(1), gpu(2)}}});
  kubelet_.start();
  ASSERT_TRUE(run());
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(1)));
  EXPECT_EQ(told_.managed.size(), 3U);
}

TEST_F(KubeletFailures, ARestartBetweenTwoPollsIsNoticed) {
  ASSERT_TRUE(run());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(run(minutes{1}));
  kubelet_.stop();
  kubelet_.allocatable({{"nvidia.com/gpu", {gpu(0)}}});
  kubelet_.start();
  ASSERT_TRUE(run(seconds{10}));
  EXPECT_EQ(told_.managed.size(), 1U);
}

TEST_F(KubeletFailures, AllocatableDevicesAreAskedForSeldom) {
  for (int i = 0; i < 3600; ++i) ASSERT_TRUE(run());
  // With each poll of the first minute, then every five.
  EXPECT_GE(kubelet_.asked("GetAllocatableResources"), 15);
  EXPECT_LE(kubelet_.asked("GetAllocatableResources"), 20);
  EXPECT_EQ(kubelet_.asked("List"), 360);
}

TEST_F(KubeletFailures, AKubeletWithoutAllocatableDevicesIsGoodEnough) {
  kubelet_.refuse("GetAllocatableResources", "2", "disabled");
  metadata_.put(known_pod("a", "u1"));
  kubelet_.list({pod_with("a", {gpu(0)})});
  ASSERT_TRUE(run());
  EXPECT_EQ(told_.managed.size(), 1U);
  EXPECT_THAT(explanation(), HasSubstr("disabled"));
}

TEST_F(KubeletFailures, AKubeletThatHangsIsAnErrorAndWhatWasKnownStays) {
  set("timeout", "100ms");
  metadata_.put(known_pod("a", "u1"));
  metadata_.put(known_pod("b", "u2"));
  kubelet_.list({pod_with("a", {gpu(0)}), pod_with("b", {gpu(1)})});
  ASSERT_TRUE(run());
  kubelet_.hang();
  EXPECT_THAT(run(seconds{10}).error().hint, HasSubstr("stuck"));
  EXPECT_THAT(explanation(), HasSubstr("stuck"));
  metadata_.remove("a");
  EXPECT_FALSE(run());
  EXPECT_THAT(held(), ElementsAre("pod/u2/main " + gpu(1)));
  EXPECT_FALSE(run(minutes{4}));
  EXPECT_THAT(held(), ElementsAre("pod/u2/main " + gpu(1)));
  EXPECT_FALSE(run(minutes{1}));
  EXPECT_THAT(held(), IsEmpty());
  EXPECT_THAT(owners(), ElementsAre("pod/u2/main"));
}

TEST_F(KubeletFailures, AKubeletThatFailsIsAskedLessAndLess) {
  kubelet_.refuse("List", "14", "not now");
  for (int i = 0; i < 600; ++i) EXPECT_FALSE(run());
  EXPECT_LE(kubelet_.asked("List"), 70);
  EXPECT_LE(reports_, 1);
  kubelet_.list({});
  int tries = 0;
  while (!run()) ASSERT_LT(++tries, 12);
}

TEST_F(KubeletFailures, TheKubeletsLimitLosesNothing) {
  metadata_.put(known_pod("a", "u1"));
  kubelet_.list({pod_with("a", {gpu(0)})});
  ASSERT_TRUE(run());
  kubelet_.refuse("List", "8", "rejected by rate limit");
  EXPECT_THAT(run(seconds{10}).error().hint, HasSubstr("too often"));
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(0)));
}

TEST_F(KubeletFailures, GarbageIsAnErrorAndWhatWasKnownStays) {
  metadata_.put(known_pod("a", "u1"));
  kubelet_.list({pod_with("a", {gpu(0)})});
  ASSERT_TRUE(run());
  kubelet_.list_bytes("\x0a\xff\xff");
  const auto outcome = run(seconds{10});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("not understood"));
  EXPECT_THAT(held(), ElementsAre("pod/u1/main " + gpu(0)));
  kubelet_.list({});
  ASSERT_TRUE(run(seconds{10}));
  EXPECT_THAT(held(), IsEmpty());
}

}  // namespace
}  // namespace warpsight::kubernetes

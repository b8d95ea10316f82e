#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/kubernetes/source_for_test.h"

namespace warpsight::kubernetes {
namespace {

using State = Finding::State;
using ::testing::HasSubstr;

class KubernetesDefinition : public testing::SourceFixture {
 protected:
  KubernetesDefinition() {
    set("metadata", "none");
    set("node_name", "worker-3");
  }
};

TEST_F(KubernetesDefinition, IsForNodesWithAKubeletsSocket) {
  EXPECT_TRUE(kKubernetesSource.present(context_));
  context_.simulate = "h100x8";
  EXPECT_FALSE(kKubernetesSource.present(context_));
  context_.simulate.clear();
  kubelet_.stop();
  EXPECT_FALSE(kKubernetesSource.present(context_));
}

TEST_F(KubernetesDefinition, MakesASourceThatWorks) {
  kubelet_.list({testing::pod_with("a", {testing::gpu(0)})});
  auto made = kKubernetesSource.make(context_);
  ASSERT_TRUE(made) << made.error().message;
  source_ = std::move(*made);
  ASSERT_TRUE(run());
  ASSERT_NE(owner("pod/default/a/main"), nullptr);
  EXPECT_THAT(owner("pod/default/a/main")->attributes,
              ::testing::Contains(Attribute{"k8s.node.name", "worker-3"}));
}

TEST_F(KubernetesDefinition, AMistakeInTheResourcesIsNoSource) {
  set("resources", "example.com/x=nvidea");
  EXPECT_FALSE(kKubernetesSource.make(context_));
}

TEST_F(KubernetesDefinition, DoctorSaysWhatTheKubeletAnswers) {
  kubelet_.list({testing::pod_with("a", {testing::gpu(0)})});
  const auto findings = kKubernetesSource.diagnose(context_);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].state, State::ok);
  EXPECT_THAT(findings[0].what, HasSubstr("lists 1 pods"));
  EXPECT_EQ(findings[1].what, "this node is worker-3");
  EXPECT_EQ(findings[2].state, State::ok);
}

TEST_F(KubernetesDefinition, DoctorSaysWhyTheKubeletDoesNot) {
  kubelet_.refuse("List", "12", "unknown service");
  const auto findings = kKubernetesSource.diagnose(context_);
  EXPECT_EQ(findings.at(0).state, State::missing);
  EXPECT_THAT(findings.at(0).hint, HasSubstr("1.20"));
}

TEST_F(KubernetesDefinition, DoctorMissesTheSocketOnlyWhereItWasAskedFor) {
  kubelet_.stop();
  EXPECT_EQ(kKubernetesSource.diagnose(context_).at(0).state, State::ok);
  set("enabled", "true");
  const auto findings = kKubernetesSource.diagnose(context_);
  EXPECT_EQ(findings.at(0).state, State::missing);
  EXPECT_THAT(findings.at(0).hint, HasSubstr("mount"));
}

}  // namespace
}  // namespace warpsight::kubernetes

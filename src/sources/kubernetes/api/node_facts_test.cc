#include "sources/kubernetes/api/node_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/kubernetes/api/recordings_test.h"

namespace warpsight::kubernetes {
namespace {

using test::Parsed;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Attribute> of_provider(const std::string& id) {
  return read_node("n", *Parsed(R"({"spec":{"providerID":")" + id + R"("}})"));
}

TEST(NodeFacts, ReadsTheCloudOutOfLabelsAndProvider) {
  const Parsed node(R"({"metadata":{"labels":{"topology.kubernetes.io/region":"us-east-1",
      "topology.kubernetes.io/zone":"us-east-1a","node.kubernetes.io/instance-type":"p5.48xlarge"}},
      "spec":{"providerID":"aws:///us-east-1a/i-0abc"}})");
  EXPECT_THAT(read_node("n", *node),
              ElementsAre(Attribute{"k8s.node.name", "n"}, Attribute{"cloud.provider", "aws"},
                          Attribute{"cloud.region", "us-east-1"},
                          Attribute{"cloud.availability_zone", "us-east-1a"},
                          Attribute{"host.type", "p5.48xlarge"}));
}

TEST(NodeFacts, KnowsTheProvidersAndWhoPays) {
  EXPECT_THAT(of_provider("gce://my-project/europe-west4-a/node"),
              ElementsAre(Attribute{"k8s.node.name", "n"}, Attribute{"cloud.provider", "gcp"},
                          Attribute{"cloud.account.id", "my-project"}));
  EXPECT_THAT(of_provider("azure:///subscriptions/6f-1/resourceGroups/x/y"),
              ElementsAre(Attribute{"k8s.node.name", "n"}, Attribute{"cloud.provider", "azure"},
                          Attribute{"cloud.account.id", "6f-1"}));
  EXPECT_THAT(of_provider("ocid1.instance.oc1.x"),
              Contains(Attribute{"cloud.provider", "oracle_cloud"}));
  EXPECT_THAT(of_provider("kind://docker/x/y"), ElementsAre(Attribute{"k8s.node.name", "n"}));
}

TEST(NodeFacts, OldLabelsWillDo) {
  const Parsed node(R"({"metadata":{"labels":{"failure-domain.beta.kubernetes.io/zone":"z"}}})");
  EXPECT_THAT(read_node("n", *node), Contains(Attribute{"cloud.availability_zone", "z"}));
}

TEST(NodeFacts, AsksNowAndThen) {
  ManualClock clock;
  NodeFacts facts("gpu-node-a");
  EXPECT_THAT(facts.attributes(), ElementsAre(Attribute{"k8s.node.name", "gpu-node-a"}));
  EXPECT_EQ(facts.next(clock.steady())->path, "/api/v1/nodes/gpu-node-a");
  facts.begun(200);
  facts.heard(test::recording("api_node.json"), clock.steady());
  facts.ended(clock.steady());
  EXPECT_TRUE(facts.settled());
  EXPECT_EQ(facts.problem(), "");
  EXPECT_FALSE(facts.next(clock.steady()));
  clock.advance(std::chrono::minutes{11});
  EXPECT_TRUE(facts.next(clock.steady()));
}

TEST(NodeFacts, SaysWhatToGrant) {
  ManualClock clock;
  NodeFacts facts("n");
  facts.next(clock.steady());
  facts.begun(403);
  facts.ended(clock.steady());
  EXPECT_TRUE(facts.settled());
  EXPECT_THAT(facts.problem(), HasSubstr("grant \"get\" on \"nodes\""));
}

}  // namespace
}  // namespace warpsight::kubernetes

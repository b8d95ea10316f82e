#include "app/resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "app/agent_options.h"
#include "core/version.h"
#include "platform/test_dir.h"

namespace warpsight {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> pairs(const std::vector<Attribute>& attributes) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Attribute& a : attributes) out.emplace_back(a.key, a.value);
  return out;
}

class ResourceTest : public ::testing::Test {
 protected:
  ResourceTest() { set("host_name", "node1"); }

  void set(std::string_view key, std::string_view value) {
    EXPECT_TRUE(config_.agent.set(key, value));
  }
  void dmi(std::string_view file, std::string_view text) {
    dir_.write("sys/class/dmi/id/" + std::string(file), std::string(text) + "\n");
  }
  Resource detect() {
    ResourceInputs inputs;
    inputs.root = dir_.path();
    inputs.environment = [&](const char* name) { return environment_[name]; };
    inputs.from_environment = from_environment_;
    inputs.simulated = simulated_;
    return detect_resource(config_, inputs);
  }
  std::map<std::string, std::string> full() {
    std::map<std::string, std::string> out;
    for (const Attribute& a : detect().full) {
      EXPECT_TRUE(out.emplace(a.key, a.value).second) << a.key << " twice";
    }
    return out;
  }
  std::string provider() { return full()["cloud.provider"]; }

  TestDir dir_;
  Config config_{Options::defaults(agent_options()), {}, {}};
  std::map<std::string, std::string> environment_;
  std::vector<Attribute> from_environment_;
  bool simulated_ = false;
};

TEST_F(ResourceTest, AHostSaysWhatItIs) {
  dir_.write("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  const auto found = full();
  EXPECT_THAT(found, Contains(Pair("host.name", "node1")));
  EXPECT_THAT(found, Contains(Pair("host.id", "0123456789abcdef0123456789abcdef")));
  EXPECT_THAT(found, Contains(Pair("os.type", "linux")));
  EXPECT_THAT(found, Contains(Pair("service.name", "warpsight")));
  EXPECT_THAT(found, Contains(Pair("service.version", std::string(kVersion))));
  EXPECT_THAT(found,
              Contains(Pair("service.instance.id", "0123456789abcdef0123456789abcdef:9465")));
  EXPECT_THAT(found, Contains(Key("host.arch")));
  EXPECT_THAT(found, Not(Contains(Key("cloud.provider"))));
  EXPECT_THAT(found, Not(Contains(Key("k8s.pod.name"))));
  EXPECT_THAT(found, Not(Contains(Key("simulated"))));
}

TEST_F(ResourceTest, WithoutAMachineIdTheNameHasToDo) {
  set("listen", "");
  const auto found = full();
  EXPECT_THAT(found, Not(Contains(Key("host.id"))));
  EXPECT_THAT(found, Contains(Pair("service.instance.id", "node1")));
}

TEST_F(ResourceTest, ThePodIsKnownFromItsEnvironment) {
  environment_ = {{"NODE_NAME", "worker-3"},
                  {"K8S_POD_NAME", "warpsight-x2x"},
                  {"POD_NAME", "not this"},
                  {"POD_NAMESPACE", "monitoring"},
                  {"K8S_POD_UID", "aa-bb"}};
  const auto found = full();
  EXPECT_THAT(found, Contains(Pair("k8s.node.name", "worker-3")));
  EXPECT_THAT(found, Contains(Pair("k8s.pod.name", "warpsight-x2x")));
  EXPECT_THAT(found, Contains(Pair("k8s.namespace.name", "monitoring")));
  EXPECT_THAT(found, Contains(Pair("k8s.pod.uid", "aa-bb")));
}

TEST_F(ResourceTest, TheCloudIsKnownFromTheFirmware) {
  EXPECT_EQ(provider(), "");
  dmi("sys_vendor", "Amazon EC2");
  EXPECT_EQ(provider(), "aws");
  dmi("sys_vendor", "Google");
  dmi("product_name", "Google Compute Engine");
  EXPECT_EQ(provider(), "gcp");
  dmi("sys_vendor", "QEMU");
  dmi("product_name", "Standard PC");
  dmi("chassis_asset_tag", "OracleCloud.com");
  EXPECT_EQ(provider(), "oracle_cloud");
  dmi("chassis_asset_tag", "");
  dmi("sys_vendor", "Microsoft Corporation");
  dmi("product_name", "Virtual Machine");
  EXPECT_EQ(provider(), "azure");
  dmi("chassis_asset_tag", "4711");
  EXPECT_EQ(provider(), "") << "Hyper-V of one's own";
  dmi("sys_vendor", "Supermicro");
  EXPECT_EQ(provider(), "");
}

TEST_F(ResourceTest, TheEnvironmentOverridesWhatWasFoundAndTheConfigAll) {
  from_environment_ = {{"service.name", "gpu-agent"}, {"team", "a"}, {"simulated", "false"}};
  set("attributes", "team=b,host.name=renamed,simulated=no");
  simulated_ = true;
  const auto found = full();
  EXPECT_THAT(found, Contains(Pair("service.name", "gpu-agent")));
  EXPECT_THAT(found, Contains(Pair("team", "b")));
  EXPECT_THAT(found, Contains(Pair("host.name", "renamed")));
  EXPECT_THAT(found, Contains(Pair("simulated", "true")));
}

TEST_F(ResourceTest, TheBriefFormIsTheNameTheConfigsOwnAndSimulated) {
  from_environment_ = {{"service.name", "gpu-agent"}};
  set("attributes", "team=b");
  EXPECT_THAT(pairs(detect().brief), ElementsAre(Pair("host.name", "node1"), Pair("team", "b")));
  simulated_ = true;
  EXPECT_THAT(pairs(detect().brief), ElementsAre(Pair("host.name", "node1"), Pair("team", "b"),
                                                 Pair("simulated", "true")));
}

}  // namespace
}  // namespace warpsight

#include "sources/kubernetes/pod_resources/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sources/kubernetes/cluster_for_test.h"

namespace warpsight::kubernetes {
namespace {

using testing::FakeKubelet;
using ::testing::HasSubstr;
using testing::pod_with;

PodResourcesClient client_of(const std::string& address,
                             Duration timeout = std::chrono::seconds{20}) {
  auto made = PodResourcesClient::make(parse_address(address).value(), timeout);
  return std::move(made.value());
}

TEST(PodResourcesClient, AsksTheLister) {
  FakeKubelet kubelet;
  kubelet.list({pod_with("train-0", {"GPU-0"})});
  kubelet.allocatable({{"nvidia.com/gpu", {"GPU-0"}}});
  auto client = client_of(kubelet.address());
  EXPECT_EQ(decode_pods(client.list().value()).value().at(0).name, "train-0");
  EXPECT_EQ(decode_allocatable(client.allocatable().value()).value().at(0).ids.at(0), "GPU-0");
}

TEST(PodResourcesClient, SaysWhatToMountWhenThereIsNoSocket) {
  const TestDir dir;
  const auto reply = client_of("unix:" + dir.path() + "/kubelet.sock").list();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("cannot connect to unix:"));
  EXPECT_THAT(reply.error().hint, HasSubstr("/var/lib/kubelet/pod-resources read-only"));
}

TEST(PodResourcesClient, SaysThatNobodyListens) {
  FakeKubelet kubelet;
  kubelet.stop();
  const auto reply = client_of(kubelet.address() + ".old").list();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().hint, HasSubstr("is the kubelet running?"));
}

TEST(PodResourcesClient, SaysWhoMayOpenTheSocket) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may open everything";
  FakeKubelet kubelet;
  ASSERT_EQ(::chmod(kubelet.path().c_str(), 0), 0);
  const auto reply = client_of(kubelet.address()).list();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().hint, HasSubstr("let its user open the socket"));
}

TEST(PodResourcesClient, TellsRefusalsApart) {
  FakeKubelet kubelet;
  auto client = client_of(kubelet.address());
  const auto refused = [&](const std::string& status, const std::string& message) {
    kubelet.refuse("List", status, message);
    return describe(client.list().error());
  };
  EXPECT_THAT(refused("8", "rejected by rate limit"),
              AllOf(HasSubstr("rejected by rate limit"), HasSubstr("too often")));
  EXPECT_THAT(refused("12", "unknown service"), HasSubstr("1.20 or later"));
  EXPECT_THAT(refused("2", "not found"), HasSubstr("kubelet's log"));
  EXPECT_THAT(refused("7", "no"), HasSubstr("let the agent's user"));
}

TEST(PodResourcesClient, GivesUpOnAKubeletThatHangs) {
  FakeKubelet kubelet;
  kubelet.hang();
  const auto reply = client_of(kubelet.address(), std::chrono::milliseconds{50}).list();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().hint, HasSubstr("stuck"));
}

}  // namespace
}  // namespace warpsight::kubernetes

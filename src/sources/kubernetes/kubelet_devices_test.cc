#include "sources/kubernetes/kubelet_devices.h"

#include <gtest/gtest.h>

#include "sources/kubernetes/cluster_for_test.h"

namespace warpsight::kubernetes {
namespace {

using std::chrono::seconds;
using testing::pod_with;

TEST(KubeletDevices, BytesAsBeforeAreAnAnswerButNoNews) {
  testing::FakeKubelet kubelet;
  kubelet.list({pod_with("a", {"0"})});
  kubelet.allocatable({{"nvidia.com/gpu", {"0"}}});
  ManualClock clock;
  auto client = PodResourcesClient::make(parse_address(kubelet.address()).value(), seconds{20});
  KubeletDevices devices(std::move(client.value()), clock, seconds{10});

  const auto refreshed = [&](Duration later) {
    clock.advance(later);
    const KubeletDevices::News news = devices.refresh(false);
    return std::pair(news.answered, news.changed);
  };
  EXPECT_EQ(refreshed(seconds{1}), std::pair(true, true));
  EXPECT_EQ(refreshed(seconds{1}), std::pair(false, false));
  EXPECT_EQ(refreshed(seconds{10}), std::pair(true, false));
  kubelet.list({});
  EXPECT_EQ(refreshed(seconds{10}), std::pair(true, true));
  EXPECT_TRUE(devices.pods().empty());
}

}  // namespace
}  // namespace warpsight::kubernetes

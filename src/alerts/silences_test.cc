#include "alerts/silences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight::alerts {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Time kNow{1'700'000'000s};

std::vector<Matcher> matchers(std::initializer_list<std::string_view> texts) {
  std::vector<Matcher> out;
  for (const std::string_view text : texts) out.push_back(*parse_matcher(text));
  return out;
}

Alert alert() {
  Alert out;
  out.rule = "GpuHot";
  out.severity = Severity::error;
  out.attributes = {{"gpu.index", "0"}, {"gpu.uuid", "GPU-1"}};
  return out;
}

TEST(Silences, CoverByNameSeverityAndAttributesUntilTheyEnd) {
  const auto covered = [](std::initializer_list<std::string_view> texts, Duration later = 0s) {
    Silences silences;
    EXPECT_TRUE(silences.add(matchers(texts), kNow + 1h, "", kNow));
    return silences.covers(alert(), kNow + later);
  };
  EXPECT_TRUE(covered({"alert.name=GpuHot"}));
  EXPECT_TRUE(covered({"alert.name=GpuHot"}, 1h - 1s));
  EXPECT_FALSE(covered({"alert.name=GpuHot"}, 1h));
  EXPECT_FALSE(covered({"alert.name=GpuIdle"}));
  EXPECT_TRUE(covered({"alert.name!=GpuIdle", "severity=warning|error"}));
  EXPECT_FALSE(covered({"severity!=error"}));
  EXPECT_TRUE(covered({"gpu.index=0", "gpu.uuid=GPU-1"}));
  EXPECT_FALSE(covered({"gpu.index=0", "gpu.uuid=GPU-2"})) << "all must match";
  EXPECT_TRUE(covered({"k8s.pod.name="})) << "an attribute that is not there";
}

TEST(Silences, AreRefusedWithWhatToDo) {
  Silences silences;
  for (const auto& refused :
       {silences.add({}, kNow + 1h, "", kNow), silences.add(matchers({"a=b"}), kNow, "", kNow),
        silences.add(matchers({"a=b"}), kNow + 24h * 31, "", kNow),
        silences.add(matchers({"a=b"}), kNow + 1h, std::string(5000, 'x'), kNow)}) {
    ASSERT_FALSE(refused);
    EXPECT_FALSE(refused.error().hint.empty());
  }
  EXPECT_EQ(silences.version(), 0U);
}

TEST(Silences, AreBoundedAndThoseThatEndedMakeRoom) {
  Silences silences;
  for (size_t i = 0; i < kMaxSilences; ++i) {
    ASSERT_TRUE(silences.add(matchers({"a=b"}), kNow + 1h, "", kNow));
  }
  EXPECT_FALSE(silences.add(matchers({"a=b"}), kNow + 2h, "", kNow));
  EXPECT_THAT(silences.active(kNow + 1h), IsEmpty());
  EXPECT_TRUE(silences.add(matchers({"a=b"}), kNow + 2h, "", kNow + 1h));
  EXPECT_THAT(silences.active(kNow + 1h), SizeIs(1));
}

TEST(Silences, AreRemovedById) {
  Silences silences;
  const auto first = silences.add(matchers({"gpu.index=0"}), kNow + 1h, "", kNow);
  const auto second = silences.add(matchers({"gpu.index=1"}), kNow + 1h, "", kNow);
  ASSERT_NE(first->id, second->id);
  EXPECT_TRUE(silences.remove(first->id));
  EXPECT_FALSE(silences.remove(first->id));
  EXPECT_FALSE(silences.covers(alert(), kNow));
  EXPECT_EQ(silences.version(), 3U);
}

}  // namespace
}  // namespace warpsight::alerts

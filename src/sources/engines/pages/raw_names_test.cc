#include "sources/engines/pages/raw_names.h"

#include <gmock/gmock.h>

#include "sources/engines/pages/page_for_test.h"

namespace warpsight::engines {
namespace {

using test::Endpoint;
using test::Node;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::map<std::string, std::string> raw(std::string_view body, std::vector<std::string> allow = {},
                                       std::vector<std::string> deny = {}) {
  Node node;
  Endpoint endpoint(node, {.own = false,
                           .common = false,
                           .raw = true,
                           .allow = std::move(allow),
                           .deny = std::move(deny)});
  endpoint.scrape(body);
  return node.told();
}

TEST(RawNames, PatternsHaveStars) {
  EXPECT_TRUE(matches_pattern("vllm:*", "vllm:x"));
  EXPECT_TRUE(matches_pattern("*_total", "a_total_total"));
  EXPECT_TRUE(matches_pattern("a*b*c", "axxbyyc"));
  EXPECT_TRUE(matches_pattern("a", "a"));
  EXPECT_FALSE(matches_pattern("a*b*c", "axxbyy"));
  EXPECT_FALSE(matches_pattern("a", "ab"));
  EXPECT_FALSE(matches_pattern("", "a"));
}

TEST(RawNames, KeepLabelsAndKinds) {
  EXPECT_THAT(raw("# TYPE rawa_total counter\nrawa_total{l=\"x\"} 3\n"
                  "# TYPE rawb gauge\nrawb -2\nrawc{l=\"a\\\"b\"} 1\n"
                  "# TYPE rawd histogram\nrawd_bucket{le=\"1\"} 1\nrawd_bucket{le=\"+Inf\"} 2\n"
                  "rawd_sum 5\nrawd_count 2\n"),
              UnorderedElementsAre(Pair("rawa{l=x}", "3"), Pair("rawb{}", "-2"),
                                   Pair("rawc{l=a\"b}", "1"), Pair("rawd{}", "<1: 1 1 sum 5")));
  EXPECT_EQ(row(*find_metric("rawa")).kind, MetricKind::counter);
  EXPECT_EQ(row(*find_metric("rawc")).kind, MetricKind::gauge);
}

TEST(RawNames, ASummaryIsGaugesAndCounters) {
  EXPECT_THAT(raw("# TYPE raws summary\nraws{quantile=\"0.5\"} 3\nraws_sum 9\nraws_count 4\n"
                  "raws_created 1600000000\n"),
              UnorderedElementsAre(Pair("raws{quantile=0.5}", "3"), Pair("raws_sum{}", "9"),
                                   Pair("raws_count{}", "4")));
  EXPECT_EQ(row(*find_metric("raws_sum")).kind, MetricKind::counter);
}

TEST(RawNames, CreationMomentsOfCountersAreStartsAndOthersAreGauges) {
  Node node;
  Endpoint endpoint(node, {.own = false, .common = false, .raw = true, .allow = {}, .deny = {}});
  endpoint.scrape(
      "# TYPE rawk_total counter\nrawk_total 3\n# TYPE rawk_created gauge\nrawk_created "
      "1600000000\n# TYPE kube_pod_created gauge\nkube_pod_created 1600000000\n");
  EXPECT_THAT(node.told(),
              UnorderedElementsAre(Pair("rawk{}", "3"), Pair("kube_pod_created{}", "1600000000")));
  EXPECT_EQ(node.start("rawk{}"), Time{std::chrono::seconds{1'600'000'000}});
}

TEST(RawNames, OnlyWhatIsAllowedAndNotDenied) {
  const std::string_view page =
      "# TYPE rawa_total counter\nrawa_total 3\nrawb 1\nrawbc 2\npython_x 4\n";
  EXPECT_THAT(raw(page, {"raw*"}, {"rawb*"}), ElementsAre(Pair("rawa{}", "3")));
  EXPECT_THAT(raw(page, {"rawa_total"}), ElementsAre(Pair("rawa{}", "3")));
  EXPECT_THAT(raw(page, {}, {"python*", "rawa"}),
              UnorderedElementsAre(Pair("rawb{}", "1"), Pair("rawbc{}", "2")));
}

TEST(RawNames, ANameOfAnotherKindIsCountedAndLeftOut) {
  Node node;
  Endpoint endpoint(node, {.own = false, .common = false, .raw = true, .allow = {}, .deny = {}});
  const PageOutcome outcome =
      endpoint.scrape("# TYPE rawx_total counter\nrawx_total 3\n# TYPE rawx gauge\nrawx 4\n");
  EXPECT_THAT(node.told(), ElementsAre(Pair("rawx{}", "3")));
  EXPECT_EQ(outcome.not_declared, 1U);
  EXPECT_TRUE(outcome.engines.empty());
}

}  // namespace
}  // namespace warpsight::engines

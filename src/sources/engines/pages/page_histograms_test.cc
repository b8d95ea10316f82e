// Histograms of a page, from its text to the registry.
#include <gmock/gmock.h>

#include "sources/engines/pages/page_for_test.h"

namespace warpsight::engines {
namespace {

using std::chrono::seconds;
using test::Endpoint;
using test::Node;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

struct PageHistograms : testing::Test {
  Node node;
  Endpoint endpoint{node, {.own = false, .allow = {}, .deny = {}, .merge_ranks = true}};
};

TEST_F(PageHistograms, AreWholeWhateverTheOrderOfTheirBuckets) {
  endpoint.scrape(
      "eng:ttft_sum 7.5\neng:ttft_bucket{le=\"1\"} 3\neng:ttft_bucket{le=\"+Inf\"} 6\n"
      "eng:ttft_bucket{le=\"0.1\"} 1\neng:ttft_bucket{le=\"1.0\"} 3\neng:ttft_count 6\n");
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.ttft{}", "<0.1 <1: 1 2 3 sum 7.5")));
}

TEST_F(PageHistograms, TheCountStandsForAMissingLastBucket) {
  endpoint.scrape("eng:ttft_bucket{le=\"1\"} 3\neng:ttft_sum 2\neng:ttft_count 6\n");
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.ttft{}", "<1: 3 3 sum 2")));
}

TEST_F(PageHistograms, BoundsAndSumAreScaled) {
  endpoint.scrape(
      "eng:itl_ms_bucket{le=\"500\"} 3\neng:itl_ms_bucket{le=\"+Inf\"} 4\neng:itl_ms_sum 1500\n");
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.itl{}", "<0.5: 3 1 sum 1.5")));
}

TEST_F(PageHistograms, OpenMetricsSaysTheSame) {
  endpoint.scrape(
      "# TYPE eng:ttft histogram\neng:ttft_bucket{le=\"1.0\"} 3 # {trace_id=\"a\"} 0.5\n"
      "eng:ttft_bucket{le=\"+Inf\"} 4\neng:ttft_sum 9\neng:ttft_count 4\n"
      "eng:ttft_created 1600000000.5\n# EOF\n",
      prometheus_text::TextFormat::open_metrics);
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.ttft{}", "<1: 3 1 sum 9")));
  EXPECT_EQ(node.start("llm.ttft{}"), Time{std::chrono::milliseconds{1'600'000'000'500}});
}

TEST_F(PageHistograms, ATornOneIsLeftOutUntilItIsWhole) {
  const auto page = [](int first, int last) {
    return fmt::format(
        "eng:ttft_bucket{{le=\"1\"}} {}\neng:ttft_bucket{{le=\"+Inf\"}} {}\neng:ttft_sum 1\n"
        "eng:running 2\n",
        first, last);
  };
  EXPECT_EQ(endpoint.scrape(page(5, 4)).torn, 1U);
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.requests.running{}", "2")));
  EXPECT_EQ(endpoint.scrape(page(5, 6)).torn, 0U);
  EXPECT_THAT(node.told(), Contains(Pair("llm.ttft{}", "<1: 5 1 sum 1")));
}

TEST_F(PageHistograms, NeedASumThatIsANumber) {
  const PageOutcome outcome = endpoint.scrape(
      "eng:ttft_bucket{le=\"+Inf\"} 4\neng:ttft_sum NaN\neng:itl_ms_bucket{le=\"+Inf\"} 4\n");
  EXPECT_EQ(outcome.torn, 2U);
  EXPECT_THAT(node.told(), IsEmpty());
}

TEST_F(PageHistograms, ASummaryIsNone) {
  const PageOutcome outcome =
      endpoint.scrape("eng:ttft{quantile=\"0.5\"} 1\neng:ttft_sum 3\neng:ttft_count 2\n");
  EXPECT_THAT(node.told(), IsEmpty());
  EXPECT_EQ(outcome.torn, 0U);
}

TEST_F(PageHistograms, AreAddedUpWhereTheirBoundsAreTheSame) {
  const auto part = [](std::string_view labels, std::string_view bound, int in) {
    return fmt::format(
        "eng:ttft_bucket{{{0},le=\"{1}\"}} {2}\neng:ttft_bucket{{{0},le=\"+Inf\"}} {3}\n"
        "eng:ttft_sum{{{0}}} 1\n",
        labels, bound, in, in + 1);
  };
  const PageOutcome outcome = endpoint.scrape(part("engine=\"0\",is_streaming=\"0\"", "2", 10) +
                                              part("engine=\"0\",is_streaming=\"1\"", "2.0", 20) +
                                              part("engine=\"1\",is_streaming=\"1\"", "3", 40));
  EXPECT_EQ(outcome.not_merged, 1U);
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.ttft{}", "<2: 30 2 sum 2")));
}

TEST(PageHistogramsOwn, KeepTheLabelsThatTheCommonNameAddsUp) {
  Node node;
  Endpoint endpoint(node);
  std::string body;
  for (const auto* streaming : {"false", "true"}) {
    body += fmt::format(
        "eng:ttft_bucket{{is_streaming=\"{0}\",le=\"1\"}} 2\n"
        "eng:ttft_bucket{{is_streaming=\"{0}\",le=\"+Inf\"}} 3\n"
        "eng:ttft_sum{{is_streaming=\"{0}\"}} 4\n",
        streaming);
  }
  endpoint.scrape(body);
  EXPECT_THAT(node.told(),
              UnorderedElementsAre(Pair("eng.ttft{is_streaming=false}", "<1: 2 1 sum 4"),
                                   Pair("eng.ttft{is_streaming=true}", "<1: 2 1 sum 4"),
                                   Pair("llm.ttft{}", "<1: 4 2 sum 8")));
}

TEST_F(PageHistograms, AreSilentWhileABucketIsMissing) {
  endpoint.scrape("eng:ttft_bucket{le=\"1\"} 2\neng:ttft_bucket{le=\"+Inf\"} 3\neng:ttft_sum 4\n");
  endpoint.scrape("eng:ttft_bucket{le=\"+Inf\"} 3\neng:ttft_sum 4\n");
  EXPECT_THAT(node.told(), Not(Contains(Key("llm.ttft{}"))));
}

}  // namespace
}  // namespace warpsight::engines

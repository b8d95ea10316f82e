#include "sources/engines/pages/page_reader.h"

#include <gmock/gmock.h>

#include "../tests/unit/allocation_counter.h"
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

TEST(PageReader, TwoDataParallelRanksKeepTheirLoads) {
  Node node;
  Endpoint endpoint(node);
  endpoint.scrape(
      "eng:running{model_name=\"m\",engine=\"0\"} 3\n"
      "eng:running{engine=\"1\",model_name=\"m\"} 5\n");
  EXPECT_THAT(node.told(),
              UnorderedElementsAre(Pair("eng.running{model.name=m,llm.dp_rank=0}", "3"),
                                   Pair("eng.running{model.name=m,llm.dp_rank=1}", "5"),
                                   Pair("llm.requests.running{model.name=m,llm.dp_rank=0}", "3"),
                                   Pair("llm.requests.running{model.name=m,llm.dp_rank=1}", "5")));
}

TEST(PageReader, MergedRanksAreSummedOrAveraged) {
  Node node;
  Endpoint endpoint(node, {.own = false, .allow = {}, .deny = {}, .merge_ranks = true});
  endpoint.scrape(
      "eng:running{model_name=\"m\",engine=\"0\"} 3\neng:running{model_name=\"m\",engine=\"1\"} 5\n"
      "eng:kv{model_name=\"m\",engine=\"0\"} 0.25\neng:kv{model_name=\"m\",engine=\"1\"} 0.75\n");
  EXPECT_THAT(node.told(), UnorderedElementsAre(Pair("llm.requests.running{model.name=m}", "8"),
                                                Pair("llm.kv_cache.usage{model.name=m}", "0.5")));
}

TEST(PageReader, OfTwoNamesForOneThingTheNewerCounts) {
  Node node;
  Endpoint endpoint(node);
  endpoint.scrape("eng:old_kv{model_name=\"m\"} 0.9\neng:kv{model_name=\"m\"} 0.5\n");
  EXPECT_THAT(node.told(), UnorderedElementsAre(Pair("eng.kv{model.name=m}", "0.5"),
                                                Pair("llm.kv_cache.usage{model.name=m}", "0.5")));
  endpoint.scrape("eng:old_kv{model_name=\"m\"} 0.7\n");
  EXPECT_THAT(node.told(), Contains(Pair("llm.kv_cache.usage{model.name=m}", "0.7")));
}

TEST(PageReader, WhatIsNoNumberIsNotTold) {
  Node node;
  Endpoint endpoint(node, {.own = false, .allow = {}, .deny = {}});
  endpoint.scrape(
      "eng:running{model_name=\"m\"} NaN\neng:kv{model_name=\"m\"} +Inf\n"
      "eng:prompt_total{model_name=\"m\"} -1\neng:success_total{model_name=\"m\"} 4\n");
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.requests.finished{model.name=m}", "4")));
}

TEST(PageReader, LabelsBelongToTheEnginesOwnNameAndTheCommonOneTakesWhatItsRowLists) {
  Node node;
  Endpoint endpoint(node);
  endpoint.scrape(
      "eng:success_total{model_name=\"m\",finished_reason=\"stop\",is_streaming=\"1\",pid=\"7\"} "
      "2\n"
      "eng:success_total{model_name=\"m\",finished_reason=\"stop\",is_streaming=\"0\",pid=\"8\"} "
      "3\n"
      "eng:success_total{model_name=\"m\",finished_reason=\"length\",is_streaming=\"0\"} 1\n");
  EXPECT_THAT(node.told(),
              UnorderedElementsAre(
                  Pair("eng.success{model.name=m,finish_reason=stop,is_streaming=1}", "2"),
                  Pair("eng.success{model.name=m,finish_reason=stop,is_streaming=0}", "3"),
                  Pair("eng.success{model.name=m,finish_reason=length,is_streaming=0}", "1"),
                  Pair("llm.requests.finished{model.name=m,finish_reason=stop}", "5"),
                  Pair("llm.requests.finished{model.name=m,finish_reason=length}", "1")));
}

TEST(PageReader, CopiesAreNotDoubledUnderTheCommonName) {
  Node node;
  Endpoint endpoint(node);
  endpoint.scrape(
      "eng:running{model_name=\"m\",tp_rank=\"0\"} 4\neng:running{model_name=\"m\",tp_rank=\"1\"} "
      "4\n"
      "eng:running{model_name=\"m\",tp_rank=\"0\",priority=\"9\"} 1\n");
  EXPECT_THAT(node.told(),
              UnorderedElementsAre(Pair("eng.running{model.name=m,llm.tp_rank=0}", "4"),
                                   Pair("eng.running{model.name=m,llm.tp_rank=1}", "4"),
                                   Pair("eng.running{model.name=m,llm.tp_rank=0,priority=9}", "1"),
                                   Pair("llm.requests.running{model.name=m}", "4")));
}

TEST(PageReader, ARuleMayAskForLabels) {
  Node node;
  Endpoint endpoint(node);
  endpoint.scrape("eng:tokens_total{source=\"cache\"} 7\neng:tokens_total{source=\"net\"} 8\n");
  EXPECT_THAT(node.told(), ElementsAre(Pair("eng.tokens.cached{token.source=cache}", "7")));
}

TEST(PageReader, CountsTheItemsOfTheNewestList) {
  Node node;
  Endpoint endpoint(node);
  endpoint.scrape(
      "eng:lora_info{adapters=\"a,b\",waiting=\"\"} 200\n"
      "eng:lora_info{adapters=\"a\",waiting=\"b\"} 100\n");
  EXPECT_THAT(node.told(), ElementsAre(Pair("eng.loras{}", "2")));
  endpoint.scrape(
      "eng:lora_info{adapters=\"a,b\",waiting=\"\"} 200\n"
      "eng:lora_info{adapters=\"\",waiting=\"\"} 300\n");
  EXPECT_THAT(node.told(), ElementsAre(Pair("eng.loras{}", "0")));
}

TEST(PageReader, CountersBeginWhereThePageSaysSo) {
  Node node;
  Endpoint endpoint(node);
  const auto created = [&](seconds ago) {
    return fmt::format("{}", to_unix_seconds(node.clock.now() - ago));
  };
  const std::string sane = created(seconds{90});
  endpoint.scrape("eng:prompt_total{model_name=\"m\"} 4\neng:prompt_created{model_name=\"m\"} " +
                  sane + "\neng:success_total 1\neng:success_created " + created(-seconds{100}) +
                  "\n");
  EXPECT_EQ(node.start("llm.tokens.prompt{model.name=m}"), node.clock.now() - seconds{100});
  EXPECT_EQ(node.start("eng.success{}"), node.clock.now()) << "a start in the future is none";
  EXPECT_THAT(node.told(), Not(Contains(Key(testing::HasSubstr("created")))));
}

TEST(PageReader, MergedCountersBeginWithTheLatest) {
  Node node;
  Endpoint endpoint(node, {.own = false, .allow = {}, .deny = {}, .merge_ranks = true});
  endpoint.scrape(
      fmt::format("eng:prompt_total{{model_name=\"m\",engine=\"0\"}} 4\n"
                  "eng:prompt_total{{model_name=\"m\",engine=\"1\"}} 5\n"
                  "eng:prompt_created{{model_name=\"m\",engine=\"0\"}} {}\n"
                  "eng:prompt_created{{model_name=\"m\",engine=\"1\"}} {}\n",
                  to_unix_seconds(node.clock.now()) - 50, to_unix_seconds(node.clock.now()) - 20));
  EXPECT_EQ(node.start("llm.tokens.prompt{model.name=m}"), node.clock.now() - seconds{30});
}

TEST(PageReader, AMissingSeriesSilencesWhatItIsAPartOf) {
  Node node;
  Endpoint endpoint(node, {.own = false, .allow = {}, .deny = {}, .merge_ranks = true});
  const std::string both =
      "eng:prompt_total{model_name=\"m\",engine=\"0\"} 4\n"
      "eng:prompt_total{model_name=\"m\",engine=\"1\"} 5\n";
  const std::string one = "eng:prompt_total{model_name=\"m\",engine=\"0\"} 6\n";
  endpoint.scrape(both);
  endpoint.scrape(one);
  EXPECT_THAT(node.told(), IsEmpty()) << "a sum without a part would look like a reset";
  endpoint.scrape(both);
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.tokens.prompt{model.name=m}", "9")));
  for (int page = 0; page < 3; ++page) endpoint.scrape(one);
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.tokens.prompt{model.name=m}", "6")));
}

TEST(PageReader, WhatStaysAwayEndsAndMayComeBack) {
  Node node;
  Endpoint endpoint(node);
  const std::string kept = "eng:running{model_name=\"m\"} 1\n";
  const std::string both = kept + "eng:running{model_name=\"n\"} 2\n";
  endpoint.scrape(both);
  endpoint.scrape(kept);
  endpoint.scrape(kept);
  EXPECT_TRUE(node.holds("llm.requests.running{model.name=n}"));
  endpoint.scrape(kept);
  EXPECT_FALSE(node.holds("llm.requests.running{model.name=n}"));
  EXPECT_TRUE(node.holds("llm.requests.running{model.name=m}"));
  EXPECT_EQ(node.entities.size(), 2U) << "the engine and the model that is left";
  endpoint.scrape(both);
  EXPECT_THAT(node.told(), Contains(Pair("llm.requests.running{model.name=n}", "2")));
}

TEST(PageReader, ARenamedModelIsAnotherOne) {
  Node node;
  Endpoint endpoint(node);
  endpoint.scrape("eng:running{model_name=\"m\"} 1\n");
  for (int page = 0; page < 3; ++page) endpoint.scrape("eng:running{model_name=\"new\"} 2\n");
  EXPECT_FALSE(node.holds("eng.running{model.name=m}"));
  EXPECT_THAT(node.told(), Contains(Pair("eng.running{model.name=new}", "2")));
}

TEST(PageReader, FacetsThatNothingRefersToEnd) {
  Node node;
  Endpoint endpoint(node);
  endpoint.scrape("eng:success_total{finished_reason=\"stop\"} 1\neng:success_total 1\n");
  for (int page = 0; page < 3; ++page) endpoint.scrape("eng:success_total 1\n");
  EXPECT_EQ(node.entities.size(), 1U);
  EXPECT_TRUE(node.holds("eng.success{}"));
}

TEST(PageReader, EndsAllItToldOfAndMayBeginAnew) {
  Node node;
  Endpoint endpoint(node);
  const std::string page = "eng:running{model_name=\"m\",pid=\"1\",x=\"y\"} 1\n";
  endpoint.scrape(page);
  endpoint.reader.end(endpoint.batch);
  node.registry.apply(node.source, endpoint.batch, node.clock.now());
  EXPECT_EQ(node.entities.size(), 1U) << "the engine is its maker's";
  EXPECT_TRUE(node.claims.speaks(nullptr, "m", Standing::gateway, node.clock.now()));
  endpoint.scrape(page);
  EXPECT_THAT(node.told(), Contains(Key("eng.running{model.name=m,x=y}")));
  endpoint.reader.end(endpoint.batch);
  endpoint.scrape(page);
  EXPECT_THAT(node.told(), Contains(Key("eng.running{model.name=m,x=y}"))) << "in one batch";
}

TEST(PageReader, ANewReleaseOfTheEngineTakesItsSeriesAlong) {
  Node node;
  Endpoint endpoint(node);
  const std::string page = "eng:running{model_name=\"m\"} 1\n";
  endpoint.scrape(page);
  endpoint.batch.gone = endpoint.subjects.set_version("eng", "2.0");
  endpoint.scrape(page);
  EXPECT_THAT(
      node.told(),
      UnorderedElementsAre(Pair("eng.running{llm.engine.version=2.0,model.name=m}", "1"),
                           Pair("llm.requests.running{llm.engine.version=2.0,model.name=m}", "1")));
  EXPECT_FALSE(node.holds("eng.running{model.name=m}"));
  endpoint.scrape(page);
  EXPECT_EQ(node.registry.drops().entity_gone, 0U);
}

TEST(PageReader, DropsAndCountsWhatIsBeyondTheLimit) {
  Node node;
  Endpoint endpoint(node, {.allow = {}, .deny = {}, .series_limit = 2});
  const PageOutcome outcome = endpoint.scrape(
      "eng:running{model_name=\"a\"} 1\neng:running{model_name=\"b\"} 1\n"
      "eng:running{model_name=\"c\"} 1\n");
  EXPECT_EQ(outcome.summary.dropped, 1U);
  EXPECT_EQ(outcome.summary.samples, 3U);
  EXPECT_EQ(node.told().size(), 4U);
}

std::string busy_page(int turn) {
  std::string body = "# TYPE eng:ttft histogram\n";
  for (int rank = 0; rank < 8; ++rank) {
    const std::string labels = fmt::format("model_name=\"m\",engine=\"{}\"", rank);
    body += fmt::format("eng:running{{{}}} {}\neng:prompt_total{{{}}} {}\n", labels, turn, labels,
                        turn * 100);
    body += fmt::format("eng:prompt_created{{{}}} 1600000000\n", labels);
    for (int le = 0; le < 20; ++le) {
      body += fmt::format("eng:ttft_bucket{{{},le=\"{}\"}} {}\n", labels, le, turn * le);
    }
    body +=
        fmt::format("eng:ttft_sum{{{}}} 1\neng:ttft_count{{{}}} {}\n", labels, labels, turn * 20);
    body += fmt::format("python_gc{{{}}} 1\n", labels);
  }
  return body;
}

TEST(PageReader, ASteadyScrapeTakesNoMemory) {
  Node node;
  Endpoint endpoint(node, {.raw = true, .allow = {}, .deny = {}, .merge_ranks = true});
  endpoint.scrape(busy_page(1));
  const std::string next = busy_page(2);
  endpoint.batch.begin(node.clock.now() + seconds{10}, seconds{10});
  const uint64_t before = warpsight::test::allocations();
  endpoint.reader.read(next, prometheus_text::TextFormat::classic, endpoint.batch);
  EXPECT_EQ(warpsight::test::allocations(), before);
  EXPECT_FALSE(endpoint.batch.histograms.empty());
}

}  // namespace
}  // namespace warpsight::engines

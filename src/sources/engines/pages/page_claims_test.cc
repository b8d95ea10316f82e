// Whose word is taken where several pages, or several tables of one page, tell of the same.
#include <gmock/gmock.h>

#include "sources/engines/pages/page_for_test.h"

namespace warpsight::engines {
namespace {

using test::Endpoint;
using test::Node;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kRay =
    "ray_eng:running{model_name=\"m\",WorkerId=\"w\",SessionName=\"s\"} 3\n";
constexpr std::string_view kDirect = "eng:running{model_name=\"m\"} 3\n";
constexpr std::string_view kGateway = "gate_running{model=\"m\"} 3\n";

TEST(PageClaims, AReExportIsToldWhereTheEngineIsNotScraped) {
  Node node;
  Endpoint ray(node);
  const PageOutcome outcome = ray.scrape(kRay);
  EXPECT_THAT(
      node.told(),
      UnorderedElementsAre(
          Pair("eng.running{llm.engine.via=ray,llm.replica=w,model.name=m}", "3"),
          Pair("llm.requests.running{llm.engine.via=ray,llm.replica=w,model.name=m}", "3")));
  ASSERT_EQ(outcome.engines.size(), 1U);
  EXPECT_EQ(outcome.engines[0]->name, "eng");
}

TEST(PageClaims, AReExportIsNotCountedBesideTheEngine) {
  Node node;
  Endpoint ray(node, {}, "host:1");
  Endpoint direct(node, {}, "host:2");
  direct.scrape(kDirect);
  ray.scrape_now(kRay);
  EXPECT_THAT(
      node.told(),
      UnorderedElementsAre(Pair("eng.running{llm.engine.via=ray,llm.replica=w,model.name=m}", "3"),
                           Pair("eng.running{model.name=m}", "3"),
                           Pair("llm.requests.running{model.name=m}", "3")));
  for (int page = 0; page < 3; ++page) ray.scrape(kRay);
  EXPECT_THAT(node.told(),
              Contains(Key(testing::StartsWith("llm.requests.running{llm.engine.via"))))
      << "the engine was not heard of for three periods";
}

TEST(PageClaims, AGatewaySpeaksForModelsThatNoEngineDoes) {
  Node node;
  Endpoint gateway(node, {}, "host:1");
  Endpoint direct(node, {.own = false, .allow = {}, .deny = {}}, "host:2");
  gateway.scrape(std::string(kGateway) + "gate_running{model=\"remote\"} 4\n");
  EXPECT_THAT(node.told(), Contains(Pair("llm.requests.running{model.name=m}", "3")));
  direct.scrape(kDirect);
  gateway.scrape_now(std::string(kGateway) + "gate_running{model=\"remote\"} 4\n");
  EXPECT_THAT(node.told(),
              UnorderedElementsAre(Pair("gate.running{model.name=m}", "3"),
                                   Pair("gate.running{model.name=remote}", "4"),
                                   Pair("llm.requests.running{model.name=m}", "3"),
                                   Pair("llm.requests.running{model.name=remote}", "4")));
}

TEST(PageClaims, TheEngineSpeaksWhereOnePageHasBoth) {
  Node node;
  Endpoint endpoint(node, {.own = false, .allow = {}, .deny = {}});
  const PageOutcome outcome =
      endpoint.scrape("gate_running{model=\"m\"} 9\neng:running{model_name=\"m\"} 3\n");
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.requests.running{model.name=m}", "3")));
  EXPECT_EQ(outcome.engines.size(), 2U);
}

TEST(PageClaims, ReplicasAllSpeak) {
  Node node;
  Endpoint one(node, {}, "host:1");
  Endpoint two(node, {}, "host:2");
  one.scrape(kDirect);
  two.scrape_now(kDirect);
  size_t told = 0;
  node.registry.publish(node.clock.now(), {});
  node.registry.read([&](const Snapshot& snapshot) {
    for (const Sample& sample : snapshot.samples) {
      if (snapshot.series_of(sample)->metric == Metric::llm_requests_running) ++told;
    }
  });
  EXPECT_EQ(told, 2U);
}

TEST(PageClaims, RaysSecondCopyOfACounterIsTheLastResort) {
  Node node;
  Endpoint ray(node, {.own = false, .allow = {}, .deny = {}});
  ray.scrape(
      "# TYPE ray_eng:prompt counter\nray_eng:prompt_total 58\n# TYPE ray_eng:prompt gauge\n"
      "ray_eng:prompt 57\n");
  EXPECT_THAT(node.told(), ElementsAre(Pair("llm.tokens.prompt{llm.engine.via=ray}", "58")));
  Node other;
  Endpoint gauges_only(other, {.own = false, .allow = {}, .deny = {}});
  gauges_only.scrape("ray_eng:prompt 57\n");
  EXPECT_THAT(other.told(), ElementsAre(Pair("llm.tokens.prompt{llm.engine.via=ray}", "57")));
}

TEST(PageClaims, ASignFindsATableWithoutAPrefixWhereverItStands) {
  Node node;
  Endpoint endpoint(node);
  endpoint.scrape("shared_running{model=\"m\"} 2\n");
  EXPECT_THAT(node.told(), IsEmpty());
  const PageOutcome outcome = endpoint.scrape("shared_running{model=\"m\"} 2\nplain_sign 1\n");
  EXPECT_THAT(node.told(), Contains(Pair("plain.running{model.name=m}", "2")));
  ASSERT_EQ(outcome.engines.size(), 1U);
  EXPECT_EQ(outcome.engines[0]->name, "plain");
}

TEST(PageClaims, ANameThatSeveralTablesKnowIsTheExpectedEngines) {
  Node node;
  Endpoint endpoint(node);
  const std::string_view page = "shared_running{model=\"m\"} 2\nplain_sign 1\neng:kv 0.5\n";
  endpoint.reader.expect(&node.tables.all()[2]);
  endpoint.scrape(page);
  EXPECT_THAT(node.told(), Contains(Key("plain.running{model.name=m}")));
  EXPECT_THAT(node.told(), Contains(Key("eng.kv{}"))) << "found by its prefix";
  endpoint.reader.expect(&node.tables.all()[0]);
  const PageOutcome outcome = endpoint.scrape(page);
  EXPECT_THAT(node.told(), Contains(Key("eng.shared_running{model=m}")));
  EXPECT_THAT(node.told(), Not(Contains(Key("plain.running{model.name=m}"))));
  EXPECT_EQ(outcome.engines.size(), 1U) << "signs of others do not count";
}

}  // namespace
}  // namespace warpsight::engines

#include "analysis/gen_ai_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "../tests/unit/allocation_counter.h"

namespace warpsight {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Attributes = std::map<std::string, std::string>;

struct Told {
  std::string name;
  Attributes attributes;
  Histogram histogram;
  Time start;
};

class GenAiNamesTest : public ::testing::Test {
 protected:
  GenAiNamesTest() { batch_.begin(clock_.now(), seconds{10}); }

  void observe(Metric metric, EntityId entity, std::vector<uint64_t> counts, Time start = {}) {
    batch_.add_histogram(metric, entity, std::vector<double>{0.1, 0.5}, counts, 2.5, start);
  }

  std::vector<Told> publish() {
    registry_.apply(source_, batch_, clock_.now());
    Analysis* analyses[] = {&names_};
    registry_.publish(clock_.now(), analyses);
    clock_.advance(seconds{10});
    batch_.begin(clock_.now(), seconds{10});
    std::vector<Told> told;
    registry_.read([&](const Snapshot& snapshot) {
      for (const Sample& sample : snapshot.samples) {
        const Series& series = *snapshot.series_of(sample);
        const std::string name(row(series.metric).name);
        if (!name.starts_with("gen_ai.")) continue;
        Told& one = told.emplace_back(Told{name, {}, *snapshot.histogram_of(series), series.start});
        entities_.for_each_attribute(series.entity, [&](const auto& key, const auto& value) {
          one.attributes[std::string(key)] = value;
        });
      }
    });
    return told;
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("scrape");
  EntityId engine_ = entities_.intern(EntityKind::engine, kNoEntity,
                                      {{"llm.engine", "vllm"},
                                       {"server.address", "10.0.0.7:8000"},
                                       {".provider", "vllm.ai"},
                                       {".operation", "text_completion"}});
  EntityId model_ = entities_.intern(EntityKind::model, engine_, {{"model.name", "llama"}});
  GenAiNames names_{entities_};
  Batch batch_;
};

TEST_F(GenAiNamesTest, HistogramsAreToldAsTheyAreByTheConventionsNames) {
  const Time start = clock_.now() - minutes{5};
  observe(Metric::llm_request_latency, model_, {1, 2, 3}, start);
  observe(Metric::llm_ttft, model_, {4, 5, 6}, start);
  observe(Metric::llm_tpot, model_, {7, 8, 9}, start);
  observe(Metric::llm_itl, model_, {10, 11, 12}, start);
  const std::vector<Told> told = publish();
  ASSERT_THAT(told, SizeIs(3));
  EXPECT_EQ(told[0].name, "gen_ai.server.request.duration");
  EXPECT_EQ(told[1].name, "gen_ai.server.time_to_first_token");
  EXPECT_EQ(told[2].name, "gen_ai.server.time_per_output_token");
  EXPECT_THAT(told[0].histogram.counts, ElementsAre(1, 2, 3));
  EXPECT_THAT(told[1].histogram.counts, ElementsAre(4, 5, 6));
  EXPECT_THAT(told[2].histogram.counts, ElementsAre(7, 8, 9));
  for (const Told& one : told) {
    EXPECT_THAT(one.histogram.bounds, ElementsAre(0.1, 0.5));
    EXPECT_EQ(one.histogram.sum, 2.5);
    EXPECT_EQ(one.start, start);
    EXPECT_EQ(one.attributes, (Attributes{{"gen_ai.provider.name", "vllm.ai"},
                                          {"gen_ai.request.model", "llama"},
                                          {"gen_ai.operation.name", "text_completion"},
                                          {"server.address", "10.0.0.7"},
                                          {"server.port", "8000"}}));
  }
}

TEST_F(GenAiNamesTest, WhatIsNotKnownOfAnEngineIsLeftOutOrUsual) {
  const EntityId engine = entities_.intern(
      EntityKind::engine, kNoEntity,
      {{"llm.engine", "tgi"}, {"server.address", "/run/tgi.sock"}, {"simulated", "true"}});
  observe(Metric::llm_ttft, engine, {1, 0, 0});
  const std::vector<Told> told = publish();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].attributes, (Attributes{{"gen_ai.provider.name", "tgi"},
                                            {"gen_ai.operation.name", "chat"},
                                            {"server.address", "/run/tgi.sock"},
                                            {"simulated", "true"}}));
}

TEST_F(GenAiNamesTest, AddressesAreSplitAtThePort) {
  const auto split = [](std::string_view text) {
    const ServerAddress found = split_server_address(text);
    return found.address + "|" + found.port;
  };
  EXPECT_EQ(split("node7:8000"), "node7|8000");
  EXPECT_EQ(split("node7"), "node7|");
  EXPECT_EQ(split("node7:http"), "node7:http|");
  EXPECT_EQ(split("[::1]:8000"), "::1|8000");
  EXPECT_EQ(split("[::1]"), "::1|");
  EXPECT_EQ(split("::1"), "::1|");
  EXPECT_EQ(split("/run/engine.sock"), "/run/engine.sock|");
  EXPECT_EQ(split("/run/engine.sock:1"), "/run/engine.sock:1|");
  EXPECT_EQ(split("unix:/run/engine.sock:1"), "unix:/run/engine.sock:1|");
  EXPECT_EQ(split(""), "|");
}

TEST_F(GenAiNamesTest, RanksAndFacetsStayApart) {
  const auto rank = [&](std::string_view number) {
    return entities_.intern(EntityKind::model, engine_,
                            {{"model.name", "llama"},
                             {"model.version", "3"},
                             {"llm.engine.index", number},
                             {"llm.dp_rank", number},
                             {"llm.replica", number}});
  };
  observe(Metric::llm_ttft, rank("0"), {1, 0, 0});
  observe(Metric::llm_ttft, rank("1"), {2, 0, 0});
  for (const std::string_view route : {"chat", "completions"}) {
    observe(Metric::llm_ttft, entities_.intern(EntityKind::facet, model_, {{"route", route}}),
            {3, 0, 0});
  }
  const std::vector<Told> told = publish();
  ASSERT_THAT(told, SizeIs(4));
  EXPECT_EQ(told[1].attributes, (Attributes{{"gen_ai.provider.name", "vllm.ai"},
                                            {"gen_ai.request.model", "llama"},
                                            {"gen_ai.operation.name", "text_completion"},
                                            {"server.address", "10.0.0.7"},
                                            {"server.port", "8000"},
                                            {"model.version", "3"},
                                            {"llm.engine.index", "1"},
                                            {"llm.dp_rank", "1"},
                                            {"llm.replica", "1"}}));
  EXPECT_EQ(told[2].attributes.at("route"), "chat");
  EXPECT_EQ(told[3].attributes.at("route"), "completions");
  EXPECT_EQ(registry_.drops().out_of_order, 0);
}

TEST_F(GenAiNamesTest, TheStartIsThatOfTheInput) {
  observe(Metric::llm_ttft, model_, {1, 2, 3});
  const Time first = publish().at(0).start;
  EXPECT_EQ(publish().at(0).start, first) << "told again";
  observe(Metric::llm_ttft, model_, {1, 2, 4});
  EXPECT_EQ(publish().at(0).start, first) << "grown";
  observe(Metric::llm_ttft, model_, {0, 1, 0});
  const Told anew = publish().at(0);
  EXPECT_GT(anew.start, first);
  EXPECT_THAT(anew.histogram.counts, ElementsAre(0, 1, 0));
}

TEST_F(GenAiNamesTest, EntitiesEndWithTheirInput) {
  const size_t before = entities_.size();
  observe(Metric::llm_ttft, model_, {1, 2, 3});
  EXPECT_THAT(publish(), SizeIs(1));
  EXPECT_EQ(entities_.size(), before + 1);
  batch_.gone.push_back(model_);
  EXPECT_THAT(publish(), IsEmpty());
  EXPECT_EQ(entities_.size(), before - 1) << "the model is gone too";
}

TEST_F(GenAiNamesTest, ANewEngineAtTheSameAddressTakesOver) {
  observe(Metric::llm_ttft, model_, {1, 2, 3});
  publish();
  batch_.gone.push_back(engine_);
  registry_.apply(source_, batch_, clock_.now());
  const EntityId upgraded = entities_.intern(EntityKind::engine, kNoEntity,
                                             {{"llm.engine", "vllm"},
                                              {"llm.engine.version", "2"},
                                              {"server.address", "10.0.0.7:8000"},
                                              {".provider", "vllm.ai"},
                                              {".operation", "text_completion"}});
  const EntityId model = entities_.intern(EntityKind::model, upgraded, {{"model.name", "llama"}});
  for (int scrape = 0; scrape < 2; ++scrape) {
    batch_.begin(clock_.now(), seconds{10});
    observe(Metric::llm_ttft, model, {0, 0, 1});
    const std::vector<Told> told = publish();
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_THAT(told[0].histogram.counts, ElementsAre(0, 0, 1));
  }
}

TEST_F(GenAiNamesTest, OfTwoSeriesThatWouldBeOneTheFirstIsTold) {
  const EntityId twin = entities_.intern(EntityKind::facet, model_, {{".twin", "yes"}});
  observe(Metric::llm_ttft, model_, {1, 0, 0});
  observe(Metric::llm_ttft, twin, {2, 0, 0});
  const std::vector<Told> told = publish();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_THAT(told[0].histogram.counts, ElementsAre(1, 0, 0));
  EXPECT_EQ(registry_.drops().out_of_order, 0);
}

TEST_F(GenAiNamesTest, ASteadyPublishTakesNoMemory) {
  for (int i = 0; i < 3; ++i) {
    observe(Metric::llm_ttft, model_, {1, 2, 3});
    publish();
  }
  observe(Metric::llm_ttft, model_, {1, 2, 4});
  registry_.apply(source_, batch_, clock_.now());
  Analysis* analyses[] = {&names_};
  const uint64_t before = test::allocations();
  registry_.publish(clock_.now(), analyses);
  EXPECT_EQ(test::allocations() - before, 0);
}

}  // namespace
}  // namespace warpsight

#include "analysis/serving_windows_test.h"

#include <string>

#include "../tests/unit/allocation_counter.h"

namespace warpsight {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Metric declare(std::string name, MetricKind kind) {
  return *add_metric({std::move(name), kind, "1", "scrape", "", "for a test"});
}

TEST_F(ServingWindowsTest, EnginesAreToldApartAndTheirFacetsAddedUp) {
  const EntityId other = model(engine("127.0.0.1:8001"));
  const auto scrape = [&](double stop, double length, double others) {
    count(Metric::llm_requests_finished, facet(llama_, "finish_reason", "stop"), stop);
    count(Metric::llm_requests_finished, facet(llama_, "finish_reason", "length"), length);
    count(Metric::llm_requests_finished, facet(other, "finish_reason", "stop"), others);
  };
  scrape(500, 20, 7);
  publish();
  pass();
  scrape(580, 60, 12);
  publish();
  EXPECT_EQ(told(Metric::llm_request_rate, llama_), 12);
  EXPECT_EQ(told(Metric::llm_request_rate, other), 0.5);
}

TEST_F(ServingWindowsTest, ASeriesSaysNothingWhenItIsFirstSeen) {
  generated(1'000'000);
  publish();
  EXPECT_EQ(throughput(), std::nullopt);
  pass();
  generated(1'002'000);
  publish();
  EXPECT_EQ(throughput(), 200);
}

TEST_F(ServingWindowsTest, ACounterThatStandsStillHasRateZero) {
  generated(5000);
  publish();
  pass();
  generated(5000);
  publish();
  EXPECT_EQ(throughput(), 0);
}

TEST_F(ServingWindowsTest, TheWindowIsBetweenPointsNotBetweenPublishes) {
  generated(0);
  publish();
  pass(seconds{4});
  generated(100);
  pass(seconds{4});
  generated(240);
  pass(seconds{2});
  publish();
  EXPECT_EQ(throughput(), 30);
}

TEST_F(ServingWindowsTest, APublishWithoutAScrapeTellsTheLastWindowAgain) {
  generated(0);
  publish();
  pass();
  generated(400);
  publish();
  pass(seconds{5});
  publish();
  EXPECT_EQ(throughput(), 40);
  pass(seconds{5});
  generated(1000);
  publish();
  EXPECT_EQ(throughput(), 60);
}

TEST_F(ServingWindowsTest, AnOutageIsNoSpike) {
  generated(0);
  observe(Metric::llm_ttft, llama_, {0, 0, 0, 0, 0});
  publish();
  pass();
  generated(10'000);
  observe(Metric::llm_ttft, llama_, {10, 0, 0, 0, 0});
  publish();
  EXPECT_EQ(throughput(), 1000);
  EXPECT_EQ(ttft("0.5"), 0.05);
  for (int i = 0; i < 10; ++i) {
    pass();
    publish();
  }
  EXPECT_EQ(throughput(), std::nullopt) << "stale";
  EXPECT_EQ(ttft("0.5"), std::nullopt) << "stale";
  pass();
  generated(120'000);
  publish();
  EXPECT_EQ(throughput(), 1000);
}

TEST_F(ServingWindowsTest, AfterAFallTheCountSinceThenIsTheGain) {
  generated(50'000);
  publish();
  pass();
  generated(300);
  publish();
  EXPECT_EQ(throughput(), 30);
}

TEST_F(ServingWindowsTest, ALaterStartIsAResetEvenIfTheCountIsHigher) {
  generated(100, clock_.now() - minutes{5});
  publish();
  pass();
  generated(400, clock_.now() - seconds{4});
  publish();
  EXPECT_EQ(throughput(), 40);
  pass();
  generated(500, clock_.now() - seconds{14});
  publish();
  EXPECT_EQ(throughput(), 10);
}

TEST_F(ServingWindowsTest, AFallBetweenTwoScrapesOfOnePublishIsSeen) {
  generated(90);
  publish();
  pass();
  generated(100);
  publish();
  pass(seconds{5});
  generated(20);
  pass(seconds{5});
  generated(150);
  publish();
  EXPECT_EQ(throughput(), 15);
}

TEST_F(ServingWindowsTest, AnEngineWhoseClockIsAheadDoesNotBeginAnewAtEachScrape) {
  const Time start = clock_.now() + seconds{25};
  for (int scrape = 1; scrape <= 5; ++scrape) {
    generated(10'000 + scrape * 100, start);
    publish();
    EXPECT_EQ(throughput(), scrape > 1 ? std::optional(10.0) : std::nullopt) << scrape;
    pass();
  }
}

TEST_F(ServingWindowsTest, EachSeriesCountsByItsOwnWindow) {
  const EntityId stop = facet(llama_, "finish_reason", "stop");
  const EntityId abort = facet(llama_, "finish_reason", "abort");
  count(Metric::llm_requests_finished, stop, 0);
  publish();
  pass();
  count(Metric::llm_requests_finished, stop, 100);
  count(Metric::llm_requests_finished, abort, 1000);
  publish();
  EXPECT_EQ(told(Metric::llm_request_rate, llama_), 10) << "the new one says nothing yet";
  pass();
  count(Metric::llm_requests_finished, abort, 1040);
  pass();
  count(Metric::llm_requests_finished, stop, 140);
  publish();
  EXPECT_EQ(told(Metric::llm_request_rate, llama_), 2 + 4);
}

TEST_F(ServingWindowsTest, AStaleSeriesIsNotAddedUp) {
  const EntityId stop = facet(llama_, "finish_reason", "stop");
  const EntityId abort = facet(llama_, "finish_reason", "abort");
  for (int i = 0; i < 5; ++i) {
    count(Metric::llm_requests_finished, stop, 100 * i);
    if (i < 2) count(Metric::llm_requests_finished, abort, 10 * i);
    publish();
    pass();
  }
  EXPECT_EQ(told(Metric::llm_request_rate, llama_), 10);
}

TEST_F(ServingWindowsTest, ResultsEndWithTheModel) {
  const EntityId other = model(engine_, "other");
  const auto scrape = [&](int n) {
    generated(100.0 * n);
    count(Metric::llm_tokens_generation, other, 10 * n);
    observe(Metric::llm_ttft, llama_, {uint64_t(n), 0, 0, 0, 0});
  };
  scrape(0);
  publish();
  pass();
  scrape(1);
  publish();
  ASSERT_TRUE(throughput().has_value());
  ASSERT_TRUE(ttft("0.5").has_value());
  const size_t entities = entities_.size();

  pass();
  scrape(2);
  batch_.gone.push_back(llama_);
  registry_.apply(source_, batch_, clock_.now());
  publish();
  EXPECT_EQ(throughput(), std::nullopt);
  EXPECT_EQ(told(Metric::llm_generation_throughput, other), 1);
  EXPECT_EQ(entities_.size(), entities - 5) << "the model and its four quantiles";

  llama_ = model(engine_);
  generated(9'000'000);
  publish();
  EXPECT_EQ(throughput(), std::nullopt) << "the same name, but new";
}

TEST_F(ServingWindowsTest, DecodeEfficiencyIsAbsentWithoutTraffic) {
  const auto scrape = [&](double decode, double request, uint64_t requests) {
    observe(Metric::llm_decode_duration, llama_, {requests, 0, 0, 0, 0}, decode);
    observe(Metric::llm_request_latency, llama_, {requests, 0, 0, 0, 0}, request);
    publish();
    pass();
  };
  scrape(100, 1000, 10);
  scrape(130, 1040, 20);
  EXPECT_EQ(told(Metric::llm_decode_efficiency, llama_), 0.75);
  scrape(130, 1040, 20);
  EXPECT_EQ(told(Metric::llm_decode_efficiency, llama_), std::nullopt);
  EXPECT_EQ(registry_.drops().not_finite, 0);
}

TEST_F(ServingWindowsTest, RulesAreTakenAsTheyAreDeclared) {
  const Metric hits = declare("windows_test.hits", MetricKind::counter);
  const Metric local = declare("windows_test.local_hits", MetricKind::counter);
  const Metric queries = declare("windows_test.queries", MetricKind::counter);
  const Metric waits = declare("windows_test.waits", MetricKind::histogram);
  const Metric share = declare("windows_test.share", MetricKind::gauge);
  const Metric wait_rate = declare("windows_test.wait_rate", MetricKind::gauge);
  const EntityId gpu = entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}});
  const EntityId cache = facet(gpu, "cache", "l1");
  const EntityId alone = facet(kNoEntity, "cache", "shared");
  publish();
  add_window_rule({share, WindowRule::Kind::ratio, {{hits}, {local}}, {{queries}}});
  add_window_rule({wait_rate, WindowRule::Kind::rate, {{waits, WindowTerm::Part::count}}});

  for (const double n : {0.0, 100.0}) {
    pass();
    for (const EntityId entity : {cache, alone}) {
      count(hits, entity, 3 * n);
      count(local, entity, 2 * n);
      count(queries, entity, 10 * n);
    }
    observe(waits, engine_, {uint64_t(n), 0, uint64_t(n), 0, 0});
    publish();
  }
  EXPECT_DOUBLE_EQ(*told(share, gpu), 0.5);
  EXPECT_DOUBLE_EQ(*told(share, alone), 0.5);
  EXPECT_DOUBLE_EQ(*told(wait_rate, engine_), 20);
}

TEST_F(ServingWindowsTest, AHistogramWithoutBoundsHasARateButNoQuantile) {
  const Metric rate = declare("windows_test.first_tokens", MetricKind::gauge);
  add_window_rule({rate, WindowRule::Kind::rate, {{Metric::llm_ttft, WindowTerm::Part::count}}});
  bounds_ = {};
  observe(Metric::llm_ttft, llama_, {1000});
  publish();
  EXPECT_EQ(told(rate, llama_), std::nullopt);
  pass();
  observe(Metric::llm_ttft, llama_, {1040});
  publish();
  EXPECT_EQ(told(rate, llama_), 4);
  EXPECT_EQ(ttft("0.5"), std::nullopt);
}

TEST_F(ServingWindowsTest, ARuleWhosePartDoesNotFitItsMetricIsLeftOut) {
  const Metric rate = declare("windows_test.misfit", MetricKind::gauge);
  add_window_rule({rate, WindowRule::Kind::rate, {{Metric::llm_ttft}}});
  add_window_rule(
      {rate, WindowRule::Kind::rate, {{Metric::llm_tokens_generation, WindowTerm::Part::sum}}});
  for (uint64_t n = 0; n < 2; ++n) {
    generated(100.0 * static_cast<double>(n));
    observe(Metric::llm_ttft, llama_, {n, 0, 0, 0, 0});
    publish();
    pass();
  }
  EXPECT_EQ(told(rate, llama_), std::nullopt);
}

TEST_F(ServingWindowsTest, OfTwoRulesForOneResultTheOlderIsTold) {
  const Metric other = declare("windows_test.tokens", MetricKind::counter);
  add_window_rule({Metric::llm_generation_throughput, WindowRule::Kind::rate, {{other}}});
  const EntityId second = model(engine_, "second");
  for (const double n : {0.0, 100.0}) {
    pass();
    generated(n);
    count(other, llama_, 5 * n);
    count(other, second, 5 * n);
    publish();
  }
  EXPECT_EQ(throughput(), 10);
  EXPECT_EQ(told(Metric::llm_generation_throughput, second), 50);
  EXPECT_EQ(registry_.drops().out_of_order, 0);
}

TEST_F(ServingWindowsTest, ASteadyPublishTakesNoMemory) {
  uint64_t taken = 0;
  for (uint64_t n = 0; n < 5; ++n) {
    pass();
    generated(100.0 * static_cast<double>(n));
    observe(Metric::llm_ttft, llama_, {n, n, 0, 0, 0});
    observe(Metric::llm_itl, facet(llama_, "route", "chat"), {n, n, 0, 0, 0});
    const uint64_t before = test::allocations();
    publish();
    taken = test::allocations() - before;
  }
  EXPECT_EQ(taken, 0);
}

}  // namespace
}  // namespace warpsight

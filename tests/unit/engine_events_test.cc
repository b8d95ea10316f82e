// What befalls engines between two scrapes, played on vLLM's page: ranks of unlike load, restarts,
// outages, values that are no numbers.
#include "engine_scenario.h"

namespace warpsight::engines::scenario {
namespace {

using std::chrono::seconds;

constexpr std::string_view kModel = R"(engine="0",model_name="llama")";
const std::string kLlama = "vllm llm.engine.index=0,model.name=llama";

Page generated(double tokens) {
  Page page;
  page.counter("vllm:generation_tokens_total", kModel, tokens);
  return page;
}

using EngineEvents = EngineScenario;

// Two data-parallel engines behind one server: one all but idle, one that chokes.
class TwoRanks : public EngineScenario {
 protected:
  static Page page(uint64_t n) {
    constexpr std::string_view kIdle = R"(engine="0",model_name="llama")";
    constexpr std::string_view kFull = R"(engine="1",model_name="llama")";
    const auto times = static_cast<double>(n);
    Page made;
    made.gauge("vllm:num_requests_running", kIdle, 3)
        .gauge("vllm:num_requests_running", kFull, 50)
        .gauge("vllm:num_requests_waiting", kIdle, 0)
        .gauge("vllm:num_requests_waiting", kFull, 200)
        .gauge("vllm:kv_cache_usage_perc", kIdle, 0.1)
        .gauge("vllm:kv_cache_usage_perc", kFull, 0.9)
        .counter("vllm:generation_tokens_total", kIdle, 100 * times)
        .counter("vllm:generation_tokens_total", kFull, 10'000 + 2000 * times)
        .histogram("vllm:time_to_first_token_seconds", kIdle, kFirstTokenBounds,
                   {{0.07, 500 + 100 * n}})
        .histogram("vllm:time_to_first_token_seconds", kFull, kFirstTokenBounds,
                   {{0.07, 20'000}, {3, 300 * n}});
    return made;
  }
  // Both look up 400 tokens between scrapes; one has 100 of them, the other 300.
  static Page page_of_cache(double n) {
    Page made;
    for (const double rank : {0.0, 1.0}) {
      const std::string labels = fmt::format(R"(engine="{}",model_name="llama")", rank);
      made.counter("vllm:prefix_cache_queries_total", labels, 1000 + 400 * n)
          .counter("vllm:prefix_cache_hits_total", labels, 10 + (100 + 200 * rank) * n);
    }
    return made;
  }
};

TEST_F(TwoRanks, EachHasItsOwn) {
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(common("vllm llm.engine.index=0,model.name=llama"),
              says({{"llm.requests.running", 3},
                    {"llm.requests.waiting", 0},
                    {"llm.kv_cache.usage", 0.1},
                    {"llm.tokens.generation", 100},
                    {"llm.generation.throughput", 10},
                    {"llm.ttft", 600},
                    {"ttft p50", 0.06 + 0.02 * 0.5},
                    {"ttft p95", 0.06 + 0.02 * 0.95}}));
  EXPECT_THAT(common("vllm llm.engine.index=1,model.name=llama"),
              says({{"llm.requests.running", 50},
                    {"llm.requests.waiting", 200},
                    {"llm.kv_cache.usage", 0.9},
                    {"llm.tokens.generation", 12'000},
                    {"llm.generation.throughput", 200},
                    {"llm.ttft", 20'300},
                    {"ttft p50", 2.5 + 2.5 * 0.5},
                    {"ttft p95", 2.5 + 2.5 * 0.95}}));
}

TEST_F(TwoRanks, MergedTheyAreOneModel) {
  add_endpoint("127.0.0.1:8000", {.allow = {}, .deny = {}, .merge_ranks = true});
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  // 100 observations up to 0.08 and 300 up to 5: the 200th is the 100th of those 300.
  EXPECT_THAT(common("vllm model.name=llama"), says({{"llm.requests.running", 3 + 50},
                                                     {"llm.requests.waiting", 0 + 200},
                                                     {"llm.kv_cache.usage", (0.1 + 0.9) / 2},
                                                     {"llm.tokens.generation", 100 + 12'000},
                                                     {"llm.generation.throughput", 10 + 200},
                                                     {"llm.ttft", 600 + 20'300},
                                                     {"ttft p50", 2.5 + 2.5 * 100 / 300},
                                                     {"ttft p95", 2.5 + 2.5 * 280 / 300}}));
  EXPECT_EQ(value("vllm llm.engine.index=1,model.name=llama", "vllm.requests.running"), 50)
      << "the engine's own names stay apart";
}

// A sum over ranks that lose one falls; that is neither a reset nor a gain of all that the others
// ever counted.
TEST_F(TwoRanks, OneThatLeavesTheMergedModelIsNoSpike) {
  const auto page = [](double n, bool both) {
    Page made;
    made.counter("vllm:generation_tokens_total", R"(engine="0",model_name="llama")",
                 1'000'000 + 100 * n);
    if (both) {
      made.counter("vllm:generation_tokens_total", R"(engine="1",model_name="llama")",
                   5'000'000 + 200 * n);
    }
    return made;
  };
  add_endpoint("127.0.0.1:8000", {.allow = {}, .deny = {}, .merge_ranks = true});
  const auto rate_at = [&](double n, bool both) {
    scrape_after(seconds{10}, page(n, both));
    return value("vllm model.name=llama", "llm.generation.throughput");
  };
  rate_at(0, true);
  EXPECT_DOUBLE_EQ(rate_at(1, true), 30);
  for (const double n : {2.0, 3.0, 4.0, 5.0}) {
    const double rate = rate_at(n, false);
    EXPECT_TRUE(std::isnan(rate) || rate <= 30) << rate;
  }
  EXPECT_DOUBLE_EQ(rate_at(6, false), 10) << "what is left is told";
  EXPECT_TRUE(std::isnan(rate_at(7, true))) << "one that joins brings no gain along";
  EXPECT_DOUBLE_EQ(rate_at(8, true), 30);
}

TEST_F(TwoRanks, HitSharesOfTheirCaches) {
  scrape(page_of_cache(0));
  scrape_after(seconds{10}, page_of_cache(1));
  EXPECT_THAT(common("vllm llm.engine.index=0,model.name=llama"),
              says({{"llm.prefix_cache.queried_tokens", 1400},
                    {"llm.prefix_cache.cached_tokens", 110},
                    {"llm.prefix_cache.hits", 100 / 400.0}}));
  EXPECT_THAT(common("vllm llm.engine.index=1,model.name=llama"),
              says({{"llm.prefix_cache.queried_tokens", 1400},
                    {"llm.prefix_cache.cached_tokens", 310},
                    {"llm.prefix_cache.hits", 300 / 400.0}}));
}

TEST_F(TwoRanks, HitShareOfTheMergedModel) {
  add_endpoint("127.0.0.1:8000", {.allow = {}, .deny = {}, .merge_ranks = true});
  scrape(page_of_cache(0));
  scrape_after(seconds{10}, page_of_cache(1));
  EXPECT_THAT(common("vllm model.name=llama"),
              says({{"llm.prefix_cache.queried_tokens", 2 * 1400},
                    {"llm.prefix_cache.cached_tokens", 110 + 310},
                    {"llm.prefix_cache.hits", (100 + 300) / 800.0}}));
}

// The common names do not depend on whether the engine's own are wanted.
TEST_F(TwoRanks, HitSharesWithoutTheEnginesOwnNames) {
  add_endpoint("127.0.0.1:8000", {.own = false, .allow = {}, .deny = {}});
  scrape(page_of_cache(0));
  scrape_after(seconds{10}, page_of_cache(1));
  EXPECT_THAT(common("vllm llm.engine.index=1,model.name=llama"),
              says({{"llm.prefix_cache.queried_tokens", 1400},
                    {"llm.prefix_cache.cached_tokens", 310},
                    {"llm.prefix_cache.hits", 300 / 400.0}}));
}

TEST_F(EngineEvents, ARestartThatLetsCountersFall) {
  const auto page = [](double tokens, uint64_t slow) {
    Page made = generated(tokens);
    made.histogram("vllm:time_to_first_token_seconds", kModel, kFirstTokenBounds, {{3, slow}});
    return made;
  };
  scrape(page(900'000, 5000));
  scrape_after(seconds{10}, page(910'000, 5100));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 10'000 / 10.0);
  scrape_after(seconds{10}, page(300, 20));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 300 / 10.0) << "all of it is new";
  EXPECT_DOUBLE_EQ(value(kLlama, "ttft p50"), 2.5 + 2.5 * 10 / 20);
  scrape_after(seconds{10}, page(1300, 20));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 1000 / 10.0);
  EXPECT_FALSE(is_told(kLlama, "ttft p50")) << "no request since";
}

// A restart so long ago that the new totals have outgrown the old: only _created tells.
TEST_F(EngineEvents, ARestartSeenOnlyByTheTimeOfCreation) {
  const auto page = [](double tokens, uint64_t slow, double created) {
    Page made = generated(tokens);
    made.lines("# TYPE vllm:generation_tokens_created gauge\n")
        .value("vllm:generation_tokens_created", kModel, created)
        .histogram("vllm:time_to_first_token_seconds", kModel, kFirstTokenBounds,
                   {{0.07, 100}, {3, slow}})
        .lines("# TYPE vllm:time_to_first_token_seconds_created gauge\n")
        .value("vllm:time_to_first_token_seconds_created", kModel, created);
    return made;
  };
  const double began = to_unix_seconds(clock_.now()) - 3600;
  scrape(page(1000, 0, began));
  scrape_after(seconds{10}, page(2000, 0, began));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 1000 / 10.0);
  EXPECT_FALSE(is_told(kLlama, "ttft p50"));
  scrape_after(seconds{10}, page(6000, 0, to_unix_seconds(clock_.now()) + 1));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 6000 / 10.0) << "4000 would be wrong";
  EXPECT_DOUBLE_EQ(value(kLlama, "ttft p50"), 0.06 + 0.02 * 0.5) << "100 new ones, not none";
}

TEST_F(EngineEvents, AnOutageOfTenIntervalsHasItsTrueMeanAndNoSpike) {
  double tokens = 5'000'000;
  scrape(generated(tokens));
  scrape_after(seconds{10}, generated(tokens += 10'000));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 1000);
  for (int missed = 1; missed <= 10; ++missed) {
    pass(seconds{10});
    publish();
    EXPECT_EQ(is_told(kLlama, "llm.generation.throughput"), missed <= 2) << missed;
  }
  scrape_after(seconds{10}, generated(tokens += 110'000));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 110'000 / 110.0);
  scrape_after(seconds{10}, generated(tokens += 7000));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 7000 / 10.0);
}

TEST_F(EngineEvents, TotalsOfALifetimeAreNoRateAtFirstSight) {
  publish();  // the first scrape failed: there was nothing to apply
  const auto page = [](double tokens, uint64_t requests) {
    Page made = generated(tokens);
    made.histogram("vllm:e2e_request_latency_seconds", kModel, kRequestBounds, {{7, requests}});
    return made;
  };
  scrape_after(seconds{10}, page(80'000'000, 40'000));
  EXPECT_THAT(common(kLlama),
              says({{"llm.tokens.generation", 80'000'000}, {"llm.request.latency", 40'000}}));
  scrape_after(seconds{10}, page(80'002'500, 40'010));
  EXPECT_THAT(common(kLlama), says({{"llm.tokens.generation", 80'002'500},
                                    {"llm.generation.throughput", 2500 / 10.0},
                                    {"llm.request.latency", 40'010},
                                    {"request p50", 5 + 5 * 0.5},
                                    {"request p95", 5 + 5 * 0.95}}));
}

TEST_F(EngineEvents, SecondsThatPassedAreThoseBetweenTheScrapes) {
  scrape(generated(1000));
  scrape_after(std::chrono::milliseconds{12'500}, generated(2000));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 1000 / 12.5);
}

TEST_F(EngineEvents, GaugesThatAreNoNumbersAreAbsentAndTheRestIsTold) {
  scrape(R"(# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="llama"} NaN
vllm:num_requests_running{engine="1",model_name="llama"} 4
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="llama"} NaN
vllm:kv_cache_usage_perc{engine="1",model_name="llama"} +Inf
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="llama"} 7
vllm:num_requests_waiting{engine="1",model_name="llama"} 0
)");
  EXPECT_THAT(common(kLlama), says({{"llm.requests.waiting", 7}}));
  EXPECT_THAT(common("vllm llm.engine.index=1,model.name=llama"),
              says({{"llm.requests.running", 4}, {"llm.requests.waiting", 0}}));
}

TEST_F(EngineEvents, AMillionOldFastRequestsDoNotHideSlowOnes) {
  const auto page = [](uint64_t slow) {
    Page made;
    made.histogram("vllm:time_to_first_token_seconds", kModel, kFirstTokenBounds,
                   {{0.03, 1'000'000}, {15, slow}});
    return made;
  };
  scrape(page(0));
  scrape_after(seconds{10}, page(3000));
  EXPECT_DOUBLE_EQ(value(kLlama, "ttft p50"), 10 + 10 * 0.5);
  EXPECT_DOUBLE_EQ(value(kLlama, "ttft p95"), 10 + 10 * 0.95);
}

TEST_F(EngineEvents, AnIdleEngineHasARateOfZeroAndNoLatency) {
  const auto page = [] {
    Page made = generated(500);
    made.counter("vllm:prefix_cache_queries_total", kModel, 40)
        .counter("vllm:prefix_cache_hits_total", kModel, 30)
        .histogram("vllm:time_to_first_token_seconds", kModel, kFirstTokenBounds, {{0.07, 9}});
    return made;
  };
  scrape(page());
  scrape_after(seconds{10}, page());
  EXPECT_THAT(common(kLlama), says({{"llm.tokens.generation", 500},
                                    {"llm.generation.throughput", 0},
                                    {"llm.prefix_cache.queried_tokens", 40},
                                    {"llm.prefix_cache.cached_tokens", 30},
                                    {"llm.ttft", 9}}));
}

// What is on the page is told, nothing is guessed, and the next window spans both intervals.
TEST_F(EngineEvents, AHistogramThatIsOnceMissing) {
  const auto page = [](std::string_view buckets, double tokens) {
    Page made = generated(tokens);
    made.lines("# TYPE vllm:time_to_first_token_seconds histogram\n").lines(buckets);
    return made;
  };
  const auto whole = [](int one, int ten) {
    constexpr std::string_view kFamily = "vllm:time_to_first_token_seconds";
    return fmt::format(
        "{0}_bucket{{{1},le=\"1.0\"}} {2}\n{0}_bucket{{{1},le=\"10.0\"}} {3}\n"
        "{0}_bucket{{{1},le=\"+Inf\"}} {3}\n{0}_sum{{{1}}} 1\n{0}_count{{{1}}} {3}\n",
        kFamily, kModel, one, ten);
  };
  scrape(page(whole(100, 100), 1000));
  scrape_after(seconds{10}, page(whole(110, 110), 2000));
  EXPECT_DOUBLE_EQ(value(kLlama, "ttft p50"), 0.5);
  scrape_after(seconds{10}, page("", 3000));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 1000 / 10.0);
  scrape_after(seconds{10}, page(whole(110, 150), 4000));
  EXPECT_DOUBLE_EQ(value(kLlama, "ttft p50"), 1 + 9 * 20 / 40.0) << "40 in twenty seconds";
}

}  // namespace
}  // namespace warpsight::engines::scenario

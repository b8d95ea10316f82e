// Text Generation Inference, LMDeploy and llama.cpp.
#include "engine_scenario.h"

namespace warpsight::engines::scenario {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

using OpenSourceEngines = EngineScenario;

// 0.00015·1.5ⁿ seconds.
Bounds tgi_seconds() {
  Bounds bounds;
  for (int n = 0; n < 35; ++n) bounds.push_back(0.00015 * std::pow(1.5, n));
  return bounds;
}

// A hundred steps of 40 tokens.
Bounds tgi_tokens() {
  Bounds bounds;
  for (int n = 1; n <= 100; ++n) bounds.push_back(40.0 * n);
  return bounds;
}

// It names no model and has neither a time to first token nor a counter of tokens.
TEST_F(OpenSourceEngines, TextGenerationInference) {
  const Bounds bounds = tgi_seconds();
  const auto above = [&](size_t n) { return bounds[n] * 1.2; };
  const auto page = [&](uint64_t n) {
    const auto times = static_cast<double>(n);
    Page made;
    made.gauge("tgi_batch_current_size", "", 6)
        .gauge("tgi_batch_current_max_tokens", "", 8192)
        .gauge("tgi_queue_size", "", 2)
        .counter("tgi_request_count", "", 500 + 110 * times)
        .counter("tgi_request_success", "", 480 + 100 * times)
        .counter("tgi_request_failure", R"(err="overloaded")", 12 + 8 * times)
        .counter("tgi_request_failure", R"(err="validation")", 8)
        .counter("tgi_batch_inference_success", R"(method="prefill")", 90 + times)
        .histogram("tgi_request_input_length", "", tgi_tokens(),
                   {{100, 10 + 20 * n}, {300, 5 + 10 * n}})
        .histogram("tgi_request_generated_tokens", "", tgi_tokens(), {{50, 7 + 30 * n}})
        .histogram("tgi_request_duration", "", bounds, Latency{above(20), above(25)}.at(n))
        .histogram("tgi_request_queue_duration", "", bounds, Latency{above(5), above(15)}.at(n))
        .histogram("tgi_request_inference_duration", "", bounds,
                   Latency{above(19), above(24)}.at(n))
        .histogram("tgi_request_mean_time_per_token_duration", "", bounds,
                   Latency{above(10), above(12)}.at(n))
        .lines(
            "# TYPE tgi_request_skipped_tokens summary\n"
            "tgi_request_skipped_tokens{quantile=\"0.5\"} 0\n"
            "tgi_request_skipped_tokens_sum 0\ntgi_request_skipped_tokens_count 9\n");
    return made;
  };
  scrape(page(0));
  scrape_after(seconds{20}, page(1));
  EXPECT_THAT(subjects(), ElementsAre("tgi"));
  const double prompt_tokens = 20 * 100 + 10 * 300;
  EXPECT_THAT(common("tgi"), says({
                                 {"llm.requests.running", 6},
                                 {"llm.batch.size", 6},
                                 {"llm.requests.waiting", 2},
                                 {"llm.requests.finished", 580},
                                 {"llm.requests.failed{error.type=overloaded}", 20},
                                 {"llm.requests.failed{error.type=validation}", 8},
                                 {"llm.error.share", 8 / (100 + 8.0)},
                                 {"llm.request.rate", 100 / 20.0},
                                 {"llm.tokens.prompt", 10 * 100 + 5 * 300 + prompt_tokens},
                                 {"llm.tokens.generation", 7 * 50 + 30 * 50},
                                 {"llm.prompt.throughput", prompt_tokens / 20},
                                 {"llm.generation.throughput", 30 * 50 / 20.0},
                                 {"llm.request.latency", count_at(1)},
                                 {"llm.queue.latency", count_at(1)},
                                 {"llm.tpot", count_at(1)},
                                 {"request p50", median_within(bounds[20], bounds[21])},
                                 {"request p95", p95_within(bounds[25], bounds[26])},
                                 {"queue p50", median_within(bounds[5], bounds[6])},
                                 {"queue p95", p95_within(bounds[15], bounds[16])},
                                 {"tpot p50", median_within(bounds[10], bounds[11])},
                                 {"tpot p95", p95_within(bounds[12], bounds[13])},
                             }));
  EXPECT_EQ(value("tgi", "tgi.requests.received"), 610);
  EXPECT_EQ(value("tgi", "tgi.batch.successes{method=prefill}"), 91);
  EXPECT_EQ(value("tgi", "tgi.request.input_tokens"), 30 + 15);
}

// Totals of succeeded and failed requests are gauges on its page.
TEST_F(OpenSourceEngines, LmDeploy) {
  const Bounds token_bounds = {0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4,
                               0.5,   0.75, 1,     2.5,  5,     7.5, 10,   20,  40,  80};
  const auto page = [&](uint64_t n) {
    constexpr std::string_view kModel = R"(engine="0",model_name="internlm")";
    const auto times = static_cast<double>(n);
    Page made;
    made.gauge("lmdeploy:num_requests_running", kModel, 5)
        .gauge("lmdeploy:num_requests_waiting", kModel, 1)
        .gauge("lmdeploy:num_api_requests_waiting", kModel, 9)
        .gauge("lmdeploy:num_requests_succeeded", kModel, 90 + 30 * times)
        .gauge("lmdeploy:num_requests_failed", kModel, 4 + 2 * times)
        .gauge("lmdeploy:gpu_cache_usage_perc", kModel, 0.875)
        .gauge("lmdeploy:prefix_cache_hit_rate", kModel, 0.9)
        .counter("lmdeploy:prompt_tokens_total", kModel, 7000 + 2000 * times)
        .counter("lmdeploy:generation_tokens_total", kModel, 3000 + 1000 * times)
        .counter("lmdeploy:cached_tokens_total", kModel, 6300 + 500 * times)
        .counter("lmdeploy:request_success_total",
                 R"(engine="0",finished_reason="stop",model_name="internlm")", 80 + 20 * times)
        .counter("lmdeploy:request_success_total",
                 R"(engine="0",finished_reason="length",model_name="internlm")", 10 + 10 * times)
        .histogram("lmdeploy:iteration_tokens_total", kModel, {1, 8, 16}, {{7, 10 * n}})
        .histogram("lmdeploy:time_to_first_token_seconds", kModel, kFirstTokenBounds,
                   Latency{0.09, 2}.at(n))
        .histogram("lmdeploy:iter_token_latency", kModel, token_bounds, Latency{0.008, 0.12}.at(n))
        .histogram("lmdeploy:time_per_output_token_seconds", kModel, token_bounds,
                   Latency{0.004, 0.06}.at(n))
        .histogram("lmdeploy:e2e_request_latency_seconds", kModel, kRequestBounds,
                   Latency{4, 25}.at(n))
        .histogram("lmdeploy:request_queue_time_seconds", kModel, kRequestBounds,
                   Latency{0.1, 0.4}.at(n))
        .histogram("lmdeploy:request_prefill_time_seconds", kModel, kRequestBounds,
                   Latency{0.2, 0.6}.at(n))
        .histogram("lmdeploy:request_decode_time_seconds", kModel, kRequestBounds,
                   Latency{3, 22}.at(n));
    return made;
  };
  const std::string model = "lmdeploy llm.engine.index=0,model.name=internlm";
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(subjects(), ElementsAre(model));
  const double count = count_at(1);
  EXPECT_THAT(common(model),
              says({
                  {"llm.requests.running", 5},
                  {"llm.requests.waiting", 1},
                  {"llm.requests.finished{finish_reason=stop}", 100},
                  {"llm.requests.finished{finish_reason=length}", 20},
                  {"llm.requests.failed", 6},
                  {"llm.error.share", 2 / (30 + 2.0)},
                  {"llm.request.rate", (20 + 10) / 10.0},
                  {"llm.tokens.prompt", 9000},
                  {"llm.tokens.generation", 4000},
                  {"llm.prompt.throughput", 2000 / 10.0},
                  {"llm.generation.throughput", 1000 / 10.0},
                  {"llm.kv_cache.usage", 0.875},
                  {"llm.prefix_cache.queried_tokens", 9000},
                  {"llm.prefix_cache.cached_tokens", 6800},
                  {"llm.prefix_cache.hits", 500 / 2000.0},
                  {"llm.ttft", count},
                  {"llm.itl", count},
                  {"llm.tpot", count},
                  {"llm.request.latency", count},
                  {"llm.queue.latency", count},
                  {"llm.prefill.duration", count},
                  {"llm.decode.duration", count},
                  {"llm.decode.efficiency", (60 * 3 + 40 * 22.0) / (60 * 4 + 40 * 25.0)},
                  {"ttft p50", median_within(0.08, 0.1)},
                  {"ttft p95", p95_within(1, 2.5)},
                  {"itl p50", median_within(0.005, 0.01)},
                  {"itl p95", p95_within(0.1, 0.15)},
                  {"tpot p50", median_within(0, 0.005)},
                  {"tpot p95", p95_within(0.05, 0.075)},
                  {"request p50", median_within(2.5, 5)},
                  {"request p95", p95_within(20, 30)},
                  {"queue p50", median_within(0, 0.3)},
                  {"queue p95", p95_within(0.3, 0.5)},
                  {"prefill p50", median_within(0, 0.3)},
                  {"prefill p95", p95_within(0.5, 0.8)},
                  {"decode p50", median_within(2.5, 5)},
                  {"decode p95", p95_within(20, 30)},
              }));
  EXPECT_EQ(value(model, "lmdeploy.requests.unrouted"), 9);
  EXPECT_EQ(value(model, "lmdeploy.requests.success"), 120);
  EXPECT_EQ(value(model, "lmdeploy.cache.hit_rate"), 0.9);
  EXPECT_EQ(value(model, "lmdeploy.iteration.tokens"), 10);
}

// It names no model, times no request, and its own averages are reset by whoever reads them.
TEST_F(OpenSourceEngines, LlamaCpp) {
  const auto page = [](double n) {
    Page made;
    made.counter("llamacpp:prompt_tokens_total", "", 900 + 300 * n)
        .counter("llamacpp:prompt_tokens_cached_total", "", 50 + 100 * n)
        .counter("llamacpp:prompt_seconds_total", "", 4.5 + 0.75 * n)
        .counter("llamacpp:tokens_predicted_total", "", 400 + 250 * n)
        .counter("llamacpp:tokens_predicted_seconds_total", "", 20 + 5 * n)
        .counter("llamacpp:n_decode_total", "", 1000 + 60 * n)
        .counter("llamacpp:n_tokens_max", "", 4096)
        .gauge("llamacpp:n_busy_slots_per_decode", "", 1.5)
        .gauge("llamacpp:prompt_tokens_seconds", "", 123)
        .gauge("llamacpp:predicted_tokens_seconds", "", 456)
        .gauge("llamacpp:requests_processing", "", 2)
        .gauge("llamacpp:requests_deferred", "", 1);
    return made;
  };
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(subjects(), ElementsAre("llamacpp"));
  EXPECT_THAT(common("llamacpp"), says({
                                      {"llm.requests.running", 2},
                                      {"llm.requests.waiting", 1},
                                      {"llm.tokens.prompt", 1200},
                                      {"llm.tokens.generation", 650},
                                      {"llm.prompt.throughput", 300 / 10.0},
                                      {"llm.generation.throughput", 250 / 10.0},
                                      {"llm.prefix_cache.cached_tokens", 150},
                                      {"llm.prefix_cache.hits", 100 / (100 + 300.0)},
                                  }));
  EXPECT_EQ(value("llamacpp", "llamacpp.prompt.time"), 5.25);
  EXPECT_EQ(value("llamacpp", "llamacpp.generation.time"), 25);
  EXPECT_EQ(value("llamacpp", "llamacpp.tokens.max"), 4096);
  EXPECT_EQ(value("llamacpp", "llamacpp.busy_slots"), 1.5);
  EXPECT_FALSE(is_told("llamacpp", "llamacpp.cache.tokens"));
}

TEST_F(OpenSourceEngines, LlamaCppUntilMay2025ToldOfItsCache) {
  scrape(
      "# TYPE llamacpp:kv_cache_usage_ratio gauge\nllamacpp:kv_cache_usage_ratio 0.25\n"
      "# TYPE llamacpp:kv_cache_tokens gauge\nllamacpp:kv_cache_tokens 1024\n");
  EXPECT_THAT(common("llamacpp"), says({{"llm.kv_cache.usage", 0.25}}));
  EXPECT_EQ(value("llamacpp", "llamacpp.cache.tokens"), 1024);
}

// Until August 2026 it did not count what its cache had, and prompt tokens are those it had not:
// how many were looked up is not known.
TEST_F(OpenSourceEngines, LlamaCppWithoutACountOfCachedTokens) {
  const auto page = [](double n) {
    return Page().counter("llamacpp:prompt_tokens_total", "", 900 + 300 * n);
  };
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(common("llamacpp"),
              says({{"llm.tokens.prompt", 1200}, {"llm.prompt.throughput", 300 / 10.0}}));
}

}  // namespace
}  // namespace warpsight::engines::scenario

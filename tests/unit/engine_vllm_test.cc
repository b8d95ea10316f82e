// vLLM's page through its releases and dialects.
#include "engine_scenario.h"

namespace warpsight::engines::scenario {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class VllmScenario : public EngineScenario {
 protected:
  static constexpr const char* kLlama = "vllm llm.engine.index=0,model.name=llama";
  static constexpr const char* kLlamaOfV0 = "vllm model.name=llama";
};

// A release of 2026 at its scrape number n. Python's client gives every counter and histogram the
// time at which it was made, as a family of its own.
Page current_page(uint64_t n) {
  constexpr std::string_view kModel = R"(engine="0",model_name="llama")";
  const auto times = static_cast<double>(n);
  const auto finished = [](std::string_view reason) {
    return fmt::format(R"(engine="0",finished_reason="{}",model_name="llama")", reason);
  };
  Page page;
  page.gauge("vllm:num_requests_running", kModel, 3)
      .gauge("vllm:num_requests_waiting", kModel, 2)
      .gauge("vllm:num_requests_waiting_by_reason",
             R"(engine="0",model_name="llama",reason="capacity")", 2)
      .gauge("vllm:num_requests_waiting_by_reason",
             R"(engine="0",model_name="llama",reason="deferred")", 0)
      .gauge("vllm:engine_sleep_state", R"(engine="0",model_name="llama",sleep_state="awake")", 1)
      .gauge("vllm:kv_cache_usage_perc", kModel, 0.625)
      .counter("vllm:prefix_cache_queries_total", kModel, 9000 + 400 * times)
      .counter("vllm:prefix_cache_hits_total", kModel, 3000 + 100 * times)
      .counter("vllm:num_preemptions_total", kModel, 5 + times)
      .counter("vllm:prompt_tokens_total", kModel, 50'000 + 4000 * times)
      .lines("# TYPE vllm:prompt_tokens_created gauge\n")
      .value("vllm:prompt_tokens_created", kModel, 1'699'000'000)
      .counter("vllm:generation_tokens_total", kModel, 20'000 + 1500 * times)
      .counter("vllm:request_success_total", finished("stop"), 600 + 40 * times)
      .counter("vllm:request_success_total", finished("length"), 300 + 50 * times)
      .counter("vllm:request_success_total", finished("abort"), 20 + 7 * times)
      .counter("vllm:request_success_total", finished("error"), 10 + 3 * times)
      .counter("vllm:spec_decode_num_drafts_total", kModel, 100 + 20 * times)
      .counter("vllm:spec_decode_num_draft_tokens_total", kModel, 300 + 60 * times)
      .counter("vllm:spec_decode_num_accepted_tokens_total", kModel, 200 + 45 * times)
      .histogram("vllm:iteration_tokens_total", kModel, {1, 8, 16, 32, 64},
                 {{7, 500 + 10 * n}, {60, 90 + 2 * n}})
      .histogram("vllm:time_to_first_token_seconds", kModel, kFirstTokenBounds,
                 Latency{0.07, 0.3}.at(n))
      .histogram("vllm:inter_token_latency_seconds", kModel, kTokenBounds,
                 Latency{0.02, 0.06}.at(n))
      .histogram("vllm:request_time_per_output_token_seconds", kModel, kTokenBounds,
                 Latency{0.03, 0.09}.at(n))
      .histogram("vllm:e2e_request_latency_seconds", kModel, kRequestBounds, Latency{1.2, 7}.at(n))
      .histogram("vllm:request_queue_time_seconds", kModel, kRequestBounds, Latency{0.2, 0.9}.at(n))
      .histogram("vllm:request_prefill_time_seconds", kModel, kRequestBounds,
                 Latency{0.4, 0.6}.at(n))
      .histogram("vllm:request_decode_time_seconds", kModel, kRequestBounds, Latency{0.9, 4}.at(n))
      .histogram("vllm:request_inference_time_seconds", kModel, kRequestBounds,
                 Latency{1.1, 6}.at(n))
      .lines(R"(# TYPE http_requests_total counter
http_requests_total{handler="/v1/completions",method="POST",status="2xx"} 1040
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 4.2e+09
)");
  return page;
}

TEST_F(VllmScenario, ACurrentRelease) {
  scrape(current_page(0));
  scrape_after(seconds{10}, current_page(1));
  EXPECT_THAT(subjects(), ElementsAre(kLlama));
  const double count = count_at(1);
  EXPECT_THAT(common(kLlama),
              says({
                  {"llm.requests.running", 3},
                  {"llm.requests.waiting", 2},
                  {"llm.requests.finished{finish_reason=stop}", 640},
                  {"llm.requests.finished{finish_reason=length}", 350},
                  {"llm.requests.finished{finish_reason=abort}", 27},
                  {"llm.requests.finished{finish_reason=error}", 13},
                  {"llm.requests.failed{error.type=error}", 13},
                  {"llm.error.share", 3 / (100 + 3.0)},
                  {"llm.request.rate", (40 + 50 + 7 + 3) / 10.0},
                  {"llm.preemptions", 6},
                  {"llm.tokens.prompt", 54'000},
                  {"llm.tokens.generation", 21'500},
                  {"llm.prompt.throughput", 4000 / 10.0},
                  {"llm.generation.throughput", 1500 / 10.0},
                  {"llm.kv_cache.usage", 0.625},
                  {"llm.prefix_cache.queried_tokens", 9400},
                  {"llm.prefix_cache.cached_tokens", 3100},
                  {"llm.prefix_cache.hits", 100 / 400.0},
                  {"llm.spec_decode.draft_tokens", 360},
                  {"llm.spec_decode.accepted_tokens", 245},
                  {"llm.spec_decode.accepted", 45 / 60.0},
                  {"llm.ttft", count},
                  {"llm.itl", count},
                  {"llm.tpot", count},
                  {"llm.request.latency", count},
                  {"llm.queue.latency", count},
                  {"llm.prefill.duration", count},
                  {"llm.decode.duration", count},
                  {"llm.decode.efficiency", (60 * 0.9 + 40 * 4.0) / (60 * 1.2 + 40 * 7.0)},
                  {"ttft p50", median_within(0.06, 0.08)},
                  {"ttft p95", p95_within(0.25, 0.5)},
                  {"itl p50", median_within(0.01, 0.025)},
                  {"itl p95", p95_within(0.05, 0.075)},
                  {"tpot p50", median_within(0.025, 0.05)},
                  {"tpot p95", p95_within(0.075, 0.1)},
                  {"request p50", median_within(1, 1.5)},
                  {"request p95", p95_within(5, 10)},
                  {"queue p50", median_within(0, 0.3)},
                  {"queue p95", p95_within(0.8, 1)},
                  {"prefill p50", median_within(0.3, 0.5)},
                  {"prefill p95", p95_within(0.5, 0.8)},
                  {"decode p50", median_within(0.8, 1)},
                  {"decode p95", p95_within(2.5, 5)},
              }));
}

TEST_F(VllmScenario, ItsOwnNames) {
  scrape(current_page(0));
  scrape_after(seconds{10}, current_page(1));
  EXPECT_EQ(value(kLlama, "vllm.requests.finished{finish_reason=abort}"), 27);
  EXPECT_EQ(value(kLlama, "vllm.requests.waiting_by_reason{reason=capacity}"), 2);
  EXPECT_EQ(value(kLlama, "vllm.requests.waiting_by_reason{reason=deferred}"), 0);
  EXPECT_EQ(value(kLlama, "vllm.engine.sleep_state{sleep_state=awake}"), 1);
  EXPECT_EQ(value(kLlama, "vllm.cache.usage{cache.type=gpu}"), 0.625);
  EXPECT_FALSE(is_told(kLlama, "vllm.cache.usage{cache.type=cpu}"));
  EXPECT_EQ(value(kLlama, "vllm.prefix_cache.hits"), 3100);
  EXPECT_DOUBLE_EQ(value(kLlama, "vllm.cache.hit_rate"), 100 / 400.0);
  EXPECT_DOUBLE_EQ(value(kLlama, "vllm.generation.throughput"), 150);
  // Each of 20 drafts gives a token of its own beside the 45 that were accepted of 60.
  EXPECT_DOUBLE_EQ(value(kLlama, "vllm.spec_decode.efficiency"), (45 + 20) / (60.0 + 20));
  EXPECT_EQ(value(kLlama, "vllm.iteration.tokens"), 510 + 92) << "a histogram in spite of its name";
}

// Engine V0 up to release 0.9: no engine label, and the gauges of 2024.
TEST_F(VllmScenario, NamesOfV0) {
  const auto page = [](uint64_t n) {
    constexpr std::string_view kModel = R"(model_name="llama")";
    const auto times = static_cast<double>(n);
    Page made;
    made.gauge("vllm:num_requests_running", kModel, 8)
        .gauge("vllm:num_requests_swapped", kModel, 1)
        .gauge("vllm:num_requests_waiting", kModel, 4)
        .gauge("vllm:gpu_cache_usage_perc", kModel, 0.5)
        .gauge("vllm:cpu_cache_usage_perc", kModel, 0.125)
        .gauge("vllm:gpu_prefix_cache_hit_rate", kModel, -1)
        .gauge("vllm:avg_generation_throughput_toks_per_s", kModel, 777)
        .counter("vllm:num_preemptions_total", kModel, 2)
        .counter("vllm:prompt_tokens_total", kModel, 1000 + 600 * times)
        .counter("vllm:generation_tokens_total", kModel, 500 + 300 * times)
        .counter("vllm:request_success_total", R"(finished_reason="stop",model_name="llama")",
                 10 + 30 * times)
        .histogram("vllm:time_to_first_token_seconds", kModel, kFirstTokenBounds,
                   Latency{0.015, 0.9}.at(n))
        .histogram("vllm:time_per_output_token_seconds", kModel, kTokenBounds,
                   Latency{0.005, 0.04}.at(n))
        .histogram("vllm:e2e_request_latency_seconds", kModel, kRequestBounds,
                   Latency{2.2, 18}.at(n))
        .histogram("vllm:request_queue_time_seconds", kModel, kRequestBounds,
                   Latency{0.1, 1.8}.at(n))
        .histogram("vllm:time_in_queue_requests", kModel, kRequestBounds, Latency{0.1, 1.8}.at(n))
        .histogram("vllm:model_forward_time_milliseconds", kModel, {1, 2, 3, 5, 8, 10},
                   {{7, 100 * n}});
    return made;
  };
  scrape(page(0));
  scrape_after(seconds{15}, page(1));
  EXPECT_THAT(subjects(), ElementsAre(kLlamaOfV0));
  EXPECT_THAT(common(kLlamaOfV0), says({
                                      {"llm.requests.running", 8},
                                      {"llm.requests.waiting", 4},
                                      {"llm.requests.finished{finish_reason=stop}", 40},
                                      {"llm.request.rate", 30 / 15.0},
                                      {"llm.preemptions", 2},
                                      {"llm.tokens.prompt", 1600},
                                      {"llm.tokens.generation", 800},
                                      {"llm.prompt.throughput", 600 / 15.0},
                                      {"llm.generation.throughput", 300 / 15.0},
                                      {"llm.kv_cache.usage", 0.5},
                                      {"llm.ttft", count_at(1)},
                                      {"llm.itl", count_at(1)},
                                      {"llm.request.latency", count_at(1)},
                                      {"llm.queue.latency", count_at(1)},
                                      {"ttft p50", median_within(0.01, 0.02)},
                                      {"ttft p95", p95_within(0.75, 1)},
                                      {"itl p50", median_within(0, 0.01)},
                                      {"itl p95", p95_within(0.025, 0.05)},
                                      {"request p50", median_within(2, 2.5)},
                                      {"request p95", p95_within(15, 20)},
                                      {"queue p50", median_within(0, 0.3)},
                                      {"queue p95", p95_within(1.5, 2)},
                                  }))
      << "no hit share: the gauge says -1; both names of the time in the queue are the same one";
  EXPECT_EQ(value(kLlamaOfV0, "vllm.requests.swapped"), 1);
  EXPECT_EQ(value(kLlamaOfV0, "vllm.cache.usage{cache.type=cpu}"), 0.125);
}

// Releases 0.10.2 to 0.11.2 have the old names and the new ones of the same things.
TEST_F(VllmScenario, OldAndNewNamesAtOnceCountOnce) {
  const auto page = [](uint64_t n) {
    constexpr std::string_view kModel = R"(engine="0",model_name="llama")";
    const auto times = static_cast<double>(n);
    Page made;
    for (const std::string_view name : {"vllm:gpu_cache_usage_perc", "vllm:kv_cache_usage_perc"}) {
      made.gauge(name, kModel, 0.75);
    }
    for (const std::string prefix : {"vllm:gpu_prefix_cache_", "vllm:prefix_cache_"}) {
      made.counter(prefix + "queries_total", kModel, 1000 + 200 * times)
          .counter(prefix + "hits_total", kModel, 10 + 60 * times);
    }
    for (const std::string_view name :
         {"vllm:time_per_output_token_seconds", "vllm:inter_token_latency_seconds"}) {
      made.histogram(name, kModel, kTokenBounds, Latency{0.02, 0.06}.at(n));
    }
    return made;
  };
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(common(kLlama), says({
                                  {"llm.kv_cache.usage", 0.75},
                                  {"llm.prefix_cache.queried_tokens", 1200},
                                  {"llm.prefix_cache.cached_tokens", 70},
                                  {"llm.prefix_cache.hits", 60 / 200.0},
                                  {"llm.itl", count_at(1)},
                                  {"itl p50", median_within(0.01, 0.025)},
                                  {"itl p95", p95_within(0.05, 0.075)},
                              }));
  EXPECT_EQ(value(kLlama, "vllm.prefix_cache.queries"), 1200);
  EXPECT_EQ(value(kLlama, "vllm.itl"), count_at(1));
}

// The Rust frontend: TYPE and HELP on the base name, the label order of its own, an end mark.
TEST_F(VllmScenario, OpenMetricsOfTheRustFrontend) {
  const auto page = [](int prompt, int generation, int fast) {
    return fmt::format(R"(# HELP vllm:prompt_tokens Number of prefill tokens processed.
# TYPE vllm:prompt_tokens counter
vllm:prompt_tokens_total{{model_name="llama",engine="0"}} {0}
# HELP vllm:generation_tokens Number of generation tokens processed.
# TYPE vllm:generation_tokens counter
vllm:generation_tokens_total{{model_name="llama",engine="0"}} {1}
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{{model_name="llama",engine="0"}} 6
# HELP vllm:time_to_first_token_seconds Histogram of time to first token in seconds.
# TYPE vllm:time_to_first_token_seconds histogram
# UNIT vllm:time_to_first_token_seconds seconds
vllm:time_to_first_token_seconds_sum{{model_name="llama",engine="0"}} {3}
vllm:time_to_first_token_seconds_count{{model_name="llama",engine="0"}} {2}
vllm:time_to_first_token_seconds_bucket{{le="0.5",model_name="llama",engine="0"}} 0
vllm:time_to_first_token_seconds_bucket{{le="1.0",model_name="llama",engine="0"}} {2}
vllm:time_to_first_token_seconds_bucket{{le="+Inf",model_name="llama",engine="0"}} {2}
# EOF
)",
                       prompt, generation, fast, fast * 0.75);
  };
  scrape(page(1000, 100, 10), prometheus_text::TextFormat::open_metrics);
  pass(seconds{10});
  scrape(page(1500, 180, 30), prometheus_text::TextFormat::open_metrics);
  EXPECT_THAT(subjects(), ElementsAre(kLlama));
  EXPECT_THAT(common(kLlama), says({
                                  {"llm.requests.running", 6},
                                  {"llm.tokens.prompt", 1500},
                                  {"llm.tokens.generation", 180},
                                  {"llm.prompt.throughput", 500 / 10.0},
                                  {"llm.generation.throughput", 80 / 10.0},
                                  {"llm.ttft", 30},
                                  {"ttft p50", 0.5 + 0.5 * 0.5},
                                  {"ttft p95", 0.5 + 0.5 * 0.95},
                              }));
}

// It has no model, and a label for every setting.
TEST_F(VllmScenario, HowItsCacheIsSetUp) {
  scrape(R"(# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{block_size="16",cache_dtype="auto",engine="0",num_gpu_blocks="27889"} 1.0
)");
  EXPECT_THAT(subjects(), ElementsAre("vllm llm.engine.index=0"));
  EXPECT_EQ(value("vllm llm.engine.index=0",
                  "vllm.cache.config{block_size=16,cache_dtype=auto,num_gpu_blocks=27889}"),
            1);
  EXPECT_THAT(common("vllm llm.engine.index=0"), IsEmpty());
}

// The value is a time; combinations of adapters that were once seen stay on the page.
TEST_F(VllmScenario, TheNewestListOfAdaptersCounts) {
  scrape(R"(# TYPE vllm:lora_requests_info gauge
vllm:lora_requests_info{max_lora="4",running_lora_adapters="",waiting_lora_adapters=""} 1.7e+09
vllm:lora_requests_info{max_lora="4",running_lora_adapters="sql,chat",waiting_lora_adapters="law"} 1.700000005e+09
vllm:lora_requests_info{max_lora="4",running_lora_adapters="sql",waiting_lora_adapters=""} 1.700000002e+09
)");
  EXPECT_EQ(value("vllm", "vllm.lora.active_count"), 2);
  EXPECT_EQ(value("vllm", "vllm.lora.waiting_count"), 1);
  scrape_after(seconds{10}, R"(# TYPE vllm:lora_requests_info gauge
vllm:lora_requests_info{max_lora="4",running_lora_adapters="",waiting_lora_adapters=""} 1.700000009e+09
vllm:lora_requests_info{max_lora="4",running_lora_adapters="sql,chat",waiting_lora_adapters="law"} 1.700000005e+09
vllm:lora_requests_info{max_lora="4",running_lora_adapters="sql",waiting_lora_adapters=""} 1.700000002e+09
)");
  EXPECT_EQ(value("vllm", "vllm.lora.active_count"), 0);
  EXPECT_EQ(value("vllm", "vllm.lora.waiting_count"), 0);
  EXPECT_THAT(common("vllm"), IsEmpty()) << "a time is no number of requests";
}

TEST_F(VllmScenario, SeveralModelsOnOnePage) {
  const auto page = [](double chat, double code) {
    Page made;
    made.gauge("vllm:num_requests_running", R"(engine="0",model_name="chat")", 1)
        .gauge("vllm:num_requests_running", R"(engine="0",model_name="code")", 9)
        .counter("vllm:generation_tokens_total", R"(engine="0",model_name="chat")", chat)
        .counter("vllm:generation_tokens_total", R"(engine="0",model_name="code")", code);
    return made;
  };
  scrape(page(100, 5000));
  scrape_after(seconds{10}, page(150, 9000));
  EXPECT_THAT(common("vllm llm.engine.index=0,model.name=chat"),
              says({{"llm.requests.running", 1},
                    {"llm.tokens.generation", 150},
                    {"llm.generation.throughput", 50 / 10.0}}));
  EXPECT_THAT(common("vllm llm.engine.index=0,model.name=code"),
              says({{"llm.requests.running", 9},
                    {"llm.tokens.generation", 9000},
                    {"llm.generation.throughput", 4000 / 10.0}}));
}

// A server that came back with another model: its totals are no throughput of ten seconds, and the
// old model is soon no more.
TEST_F(VllmScenario, AModelRenamed) {
  const auto page = [](std::string_view model, double tokens) {
    const std::string labels = fmt::format(R"(engine="0",model_name="{}")", model);
    Page made;
    made.gauge("vllm:num_requests_running", labels, 2)
        .counter("vllm:generation_tokens_total", labels, tokens);
    return made;
  };
  const std::string qwen = "vllm llm.engine.index=0,model.name=qwen";
  scrape(page("llama", 1000));
  scrape_after(seconds{10}, page("llama", 2000));
  EXPECT_EQ(value(kLlama, "llm.generation.throughput"), 100);
  scrape_after(seconds{10}, page("qwen", 70'000));
  EXPECT_THAT(common(qwen), says({{"llm.requests.running", 2}, {"llm.tokens.generation", 70'000}}));
  scrape_after(seconds{10}, page("qwen", 70'300));
  EXPECT_EQ(value(qwen, "llm.generation.throughput"), 300 / 10.0);
  scrape_after(seconds{10}, page("qwen", 70'600));
  EXPECT_THAT(subjects(), ElementsAre(qwen));
}

}  // namespace
}  // namespace warpsight::engines::scenario

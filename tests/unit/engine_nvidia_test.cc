// NIM, TensorRT-LLM's own server, and Dynamo.
#include "engine_scenario.h"

namespace warpsight::engines::scenario {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using NvidiaEngines = EngineScenario;

// vLLM's names of early 2024 without a prefix, and their short bounds.
TEST_F(NvidiaEngines, Nim) {
  const Bounds first_token(kFirstTokenBounds.begin(), kFirstTokenBounds.begin() + 16);
  const Bounds token(kTokenBounds.begin(), kTokenBounds.begin() + 13);
  const auto page = [&](uint64_t n) {
    constexpr std::string_view kModel = R"(model_name="meta/llama")";
    const auto times = static_cast<double>(n);
    Page made;
    made.gauge("num_requests_running", kModel, 4)
        .gauge("num_requests_waiting", kModel, 2)
        .gauge("num_request_max", kModel, 256)
        .gauge("gpu_cache_usage_perc", kModel, 0.3125)
        .counter("prompt_tokens_total", kModel, 100 + 50 * times)
        .counter("generation_tokens_total", kModel, 200 + 40 * times)
        .counter("request_success_total", kModel, 30 + 8 * times)
        .counter("request_failure_total", kModel, 3 + 2 * times)
        .counter("request_finish_total", R"(finished_reason="stop",model_name="meta/llama")",
                 20 + 5 * times)
        .counter("request_finish_total", R"(finished_reason="length",model_name="meta/llama")",
                 10 + 3 * times)
        .histogram("time_to_first_token_seconds", kModel, first_token, Latency{0.07, 9}.at(n))
        .histogram("time_per_output_token_seconds", kModel, token, Latency{0.02, 0.14}.at(n))
        .histogram("e2e_request_latency_seconds", kModel, {1, 2.5, 5, 10, 15, 20, 30, 40, 50, 60},
                   Latency{0.5, 12}.at(n))
        .lines("# TYPE process_open_fds gauge\nprocess_open_fds 30\n");
    return made;
  };
  const std::string model = "nim model.name=meta/llama";
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(subjects(), ElementsAre(model));
  EXPECT_THAT(common(model), says({{"llm.requests.running", 4},
                                   {"llm.requests.waiting", 2},
                                   {"llm.requests.finished{finish_reason=stop}", 25},
                                   {"llm.requests.finished{finish_reason=length}", 13},
                                   {"llm.requests.failed", 5},
                                   {"llm.error.share", 2 / (8 + 2.0)},
                                   {"llm.request.rate", (5 + 3) / 10.0},
                                   {"llm.tokens.prompt", 150},
                                   {"llm.tokens.generation", 240},
                                   {"llm.prompt.throughput", 50 / 10.0},
                                   {"llm.generation.throughput", 40 / 10.0},
                                   {"llm.kv_cache.usage", 0.3125},
                                   {"llm.ttft", count_at(1)},
                                   {"llm.itl", count_at(1)},
                                   {"llm.request.latency", count_at(1)},
                                   {"ttft p50", median_within(0.06, 0.08)},
                                   {"ttft p95", p95_within(7.5, 10)},
                                   {"itl p50", median_within(0.01, 0.025)},
                                   {"itl p95", p95_within(0.1, 0.15)},
                                   {"request p50", median_within(0, 1)},
                                   {"request p95", p95_within(10, 15)}}));
  EXPECT_EQ(value(model, "nim.requests.total"), (30 + 8) + (3 + 2));
  EXPECT_EQ(value(model, "nim.queue.depth"), 2);
  EXPECT_EQ(value(model, "nim.requests.max"), 256);
}

// Release 1.1 of trtllm-serve: five names, no prefix, and a time per token that is a request's
// mean.
TEST_F(NvidiaEngines, TensorRtLlmWithoutAPrefix) {
  const auto page = [](uint64_t n) {
    constexpr std::string_view kModel = R"(engine_type="trtllm",model_name="llama")";
    Page made;
    made.counter("request_success_total",
                 R"(engine_type="trtllm",finished_reason="stop",model_name="llama")",
                 70 + 20 * static_cast<double>(n))
        .histogram("e2e_request_latency_seconds", kModel, kRequestBounds, Latency{0.9, 45}.at(n))
        .histogram("time_to_first_token_seconds", kModel, kFirstTokenBounds,
                   Latency{0.03, 0.6}.at(n))
        .histogram("time_per_output_token_seconds", kModel, kTokenBounds, Latency{0.02, 0.06}.at(n))
        .histogram("request_queue_time_seconds", kModel, kRequestBounds, Latency{0.1, 12}.at(n));
    return made;
  };
  const std::string model = "trtllm model.name=llama";
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(subjects(), ElementsAre(model)) << "no NIM, which has some of these names too";
  EXPECT_THAT(common(model), says({{"llm.requests.finished{finish_reason=stop}", 90},
                                   {"llm.request.rate", 20 / 10.0},
                                   {"llm.ttft", count_at(1)},
                                   {"llm.tpot", count_at(1)},
                                   {"llm.request.latency", count_at(1)},
                                   {"llm.queue.latency", count_at(1)},
                                   {"ttft p50", median_within(0.02, 0.04)},
                                   {"ttft p95", p95_within(0.5, 0.75)},
                                   {"tpot p50", median_within(0.01, 0.025)},
                                   {"tpot p95", p95_within(0.05, 0.075)},
                                   {"request p50", median_within(0.8, 1)},
                                   {"request p95", p95_within(40, 50)},
                                   {"queue p50", median_within(0, 0.3)},
                                   {"queue p95", p95_within(10, 15)}}));
}

TEST_F(NvidiaEngines, TensorRtLlm) {
  const auto page = [](uint64_t n) {
    constexpr std::string_view kModel = R"(engine_type="trtllm",model_name="llama")";
    const auto times = static_cast<double>(n);
    Page made;
    made.gauge("trtllm_num_requests_running", kModel, 9)
        .gauge("trtllm_num_requests_waiting", kModel, 3)
        .gauge("trtllm_num_scheduled_requests", kModel, 7)
        .gauge("trtllm_num_paused_requests", kModel, 1)
        .gauge("trtllm_kv_cache_utilization", kModel, 0.55)
        .gauge("trtllm_kv_cache_hit_rate", kModel, 0.99)
        .gauge("trtllm_iteration_latency_seconds", kModel, 0.012)
        .counter("trtllm_request_success_total",
                 R"(engine_type="trtllm",finished_reason="length",model_name="llama")",
                 50 + 40 * times)
        .counter("trtllm_request_error_total",
                 R"(engine_type="trtllm",http_code="500",model_name="llama")", 1 + times)
        .counter("trtllm_prompt_tokens_total", kModel, 5000 + 1000 * times)
        .counter("trtllm_generation_tokens_total", kModel, 2000 + 600 * times)
        .counter("trtllm_prompt_cached_tokens_total", kModel, 100 + 250 * times)
        .counter("trtllm_spec_decode_num_draft_tokens_total", kModel, 90 + 30 * times)
        .counter("trtllm_spec_decode_num_accepted_tokens_total", kModel, 80 + 24 * times)
        .histogram("trtllm_time_to_first_token_seconds", kModel, kFirstTokenBounds,
                   Latency{0.03, 0.6}.at(n))
        .histogram("trtllm_time_per_output_token_seconds", kModel, kTokenBounds,
                   Latency{0.02, 0.06}.at(n))
        .histogram("trtllm_e2e_request_latency_seconds", kModel, kRequestBounds,
                   Latency{2, 10}.at(n))
        .histogram("trtllm_request_queue_time_seconds", kModel, kRequestBounds,
                   Latency{0.1, 12}.at(n))
        .histogram("trtllm_request_prefill_time_seconds", kModel,
                   {0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25}, Latency{0.02, 0.2}.at(n))
        .histogram("trtllm_request_decode_time_seconds", kModel, kRequestBounds,
                   Latency{1, 8}.at(n))
        .lines(
            "# TYPE trtllm_parallel_config_info gauge\n"
            "trtllm_parallel_config_info{tensor_parallel_size=\"2\"} 1\n");
    return made;
  };
  const std::string model = "trtllm model.name=llama";
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  const double count = count_at(1);
  EXPECT_THAT(common(model),
              says({{"llm.requests.running", 9},
                    {"llm.requests.waiting", 3},
                    {"llm.batch.size", 7},
                    {"llm.requests.finished{finish_reason=length}", 90},
                    {"llm.requests.failed{error.type=500}", 2},
                    {"llm.error.share", 1 / (40 + 1.0)},
                    {"llm.request.rate", 40 / 10.0},
                    {"llm.tokens.prompt", 6000},
                    {"llm.tokens.generation", 2600},
                    {"llm.prompt.throughput", 1000 / 10.0},
                    {"llm.generation.throughput", 600 / 10.0},
                    {"llm.kv_cache.usage", 0.55},
                    {"llm.prefix_cache.queried_tokens", 6000},
                    {"llm.prefix_cache.cached_tokens", 350},
                    {"llm.prefix_cache.hits", 250 / 1000.0},
                    {"llm.spec_decode.draft_tokens", 120},
                    {"llm.spec_decode.accepted_tokens", 104},
                    {"llm.spec_decode.accepted", 24 / 30.0},
                    {"llm.ttft", count},
                    {"llm.tpot", count},
                    {"llm.request.latency", count},
                    {"llm.queue.latency", count},
                    {"llm.prefill.duration", count},
                    {"llm.decode.duration", count},
                    {"llm.decode.efficiency", (60 * 1 + 40 * 8.0) / (60 * 2 + 40 * 10.0)},
                    {"ttft p50", median_within(0.02, 0.04)},
                    {"ttft p95", p95_within(0.5, 0.75)},
                    {"tpot p50", median_within(0.01, 0.025)},
                    {"tpot p95", p95_within(0.05, 0.075)},
                    {"request p50", median_within(1.5, 2)},
                    {"request p95", p95_within(5, 10)},
                    {"queue p50", median_within(0, 0.3)},
                    {"queue p95", p95_within(10, 15)},
                    {"prefill p50", median_within(0.01, 0.025)},
                    {"prefill p95", p95_within(0.1, 0.25)},
                    {"decode p50", median_within(0.8, 1)},
                    {"decode p95", p95_within(5, 10)}}))
      << "the gap between tokens is not on its page";
  EXPECT_EQ(value(model, "trtllm.requests.paused"), 1);
  EXPECT_EQ(value(model, "trtllm.iteration.latency"), 0.012);
  EXPECT_EQ(value(model, "trtllm.kv_cache.hit_rate"), 0.99);
}

// Dynamo's frontend: deprecated names beside their successors, bounds that begin with zero.
Page frontend_page(uint64_t n) {
  constexpr std::string_view kModel = R"(model="llama")";
  const auto times = static_cast<double>(n);
  const auto requests = [](std::string_view endpoint, std::string_view type,
                           std::string_view status) {
    return fmt::format(R"(endpoint="{}",model="llama",request_type="{}",status="{}")", endpoint,
                       type, status);
  };
  Page page;
  page.gauge("dynamo_frontend_active_requests", kModel, 11)
      .gauge("dynamo_frontend_inflight_requests", kModel, 11)
      .gauge("dynamo_frontend_queued_requests", kModel, 4)
      .gauge("dynamo_frontend_stage_requests", R"(model="llama",phase="prefill",stage="route")", 4)
      .counter("dynamo_frontend_requests_total", requests("chat_completions", "stream", "success"),
               100 + 30 * times)
      .counter("dynamo_frontend_requests_total", requests("completions", "unary", "success"),
               50 + 10 * times)
      .counter("dynamo_frontend_requests_total", requests("chat_completions", "stream", "error"),
               5 + 2 * times)
      .counter("dynamo_frontend_output_tokens_total", kModel, 3000 + 800 * times)
      .histogram("dynamo_frontend_output_sequence_tokens", kModel, {0, 50, 100, 500},
                 {{75, 10 + 8 * n}})
      .histogram("dynamo_frontend_input_sequence_tokens", kModel, {0, 50, 100, 500},
                 {{40, 10 + 20 * n}, {300, 10 + 4 * n}})
      .histogram("dynamo_frontend_cached_tokens", kModel, {0, 50, 100, 500}, {{30, 5 + 10 * n}})
      .histogram("dynamo_frontend_time_to_first_token_seconds", kModel,
                 {0, 0.001, 0.0047, 0.022, 0.1, 0.47, 2.2, 10}, Latency{0.05, 1}.at(n))
      .histogram("dynamo_frontend_inter_token_latency_seconds", kModel,
                 {0, 0.001, 0.0035, 0.0066, 0.013, 0.024, 0.045}, Latency{0.003, 0.02}.at(n))
      .histogram("dynamo_frontend_request_duration_seconds", kModel,
                 {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, Latency{3, 20}.at(n));
  return page;
}

TEST_F(NvidiaEngines, DynamosFrontend) {
  const std::string model = "dynamo model.name=llama";
  scrape(frontend_page(0));
  scrape_after(seconds{10}, frontend_page(1));
  EXPECT_THAT(subjects(), ElementsAre(model));
  const double prompt = 20 * 40 + 4 * 300;
  EXPECT_THAT(common(model), says({{"llm.requests.running", 11},
                                   {"llm.requests.waiting", 4},
                                   {"llm.requests.finished", 130 + 60},
                                   {"llm.requests.failed", 7},
                                   {"llm.error.share", 2 / (40 + 2.0)},
                                   {"llm.request.rate", (30 + 10) / 10.0},
                                   {"llm.tokens.prompt", 10 * 40 + 10 * 300 + prompt},
                                   {"llm.tokens.generation", 3800},
                                   {"llm.prompt.throughput", prompt / 10},
                                   {"llm.generation.throughput", 800 / 10.0},
                                   {"llm.ttft", count_at(1)},
                                   {"llm.itl", count_at(1)},
                                   {"llm.request.latency", count_at(1)},
                                   {"ttft p50", median_within(0.022, 0.1)},
                                   {"ttft p95", p95_within(0.47, 2.2)},
                                   {"itl p50", median_within(0.001, 0.0035)},
                                   {"itl p95", p95_within(0.013, 0.024)},
                                   {"request p50", median_within(2, 4)},
                                   {"request p95", p95_within(16, 32)}}))
      << "it knows nothing of the workers' caches";
  EXPECT_DOUBLE_EQ(value(model, "dynamo.cache.hit_rate"), 10 * 30 / prompt);
  EXPECT_EQ(value(model, "dynamo.requests.by_stage{phase=prefill,stage=route}"), 4);
}

// A worker's page: what its component says, and the engine's own names with Dynamo's labels.
Page worker_page(uint64_t n) {
  constexpr std::string_view kPlace =
      R"(dynamo_component="backend",dynamo_endpoint="generate",dynamo_namespace="prod")";
  const std::string model =
      fmt::format(R"({},engine="0",model_name="llama",worker_id="7f")", kPlace);
  const auto times = static_cast<double>(n);
  Page page;
  page.gauge("dynamo_component_inflight_requests", kPlace, 6)
      .counter("dynamo_component_requests_total", kPlace, 200 + 40 * times)
      .gauge("dynamo_component_gpu_cache_usage_percent", kPlace, 0.35)
      .gauge("dynamo_component_uptime_seconds", kPlace, 3600)
      .gauge("vllm:num_requests_running", model, 6)
      .gauge("vllm:num_requests_waiting", model, 0)
      .gauge("vllm:kv_cache_usage_perc", model, 0.35)
      .counter("vllm:prompt_tokens_total", model, 900 + 300 * times)
      .counter("vllm:generation_tokens_total", model, 800 + 200 * times)
      .histogram("vllm:time_to_first_token_seconds", model, kFirstTokenBounds,
                 Latency{0.03, 0.6}.at(n));
  return page;
}

TEST_F(NvidiaEngines, DynamosWorker) {
  const std::string model = "vllm llm.engine.index=0,model.name=llama";
  const std::string component =
      "dynamo dynamo.component=backend,dynamo.endpoint=generate,dynamo.namespace=prod";
  scrape(worker_page(0));
  scrape_after(seconds{10}, worker_page(1));
  EXPECT_THAT(subjects(), ElementsAre(component, model));
  EXPECT_THAT(common(model), says({{"llm.requests.running", 6},
                                   {"llm.requests.waiting", 0},
                                   {"llm.kv_cache.usage", 0.35},
                                   {"llm.tokens.prompt", 1200},
                                   {"llm.tokens.generation", 1000},
                                   {"llm.prompt.throughput", 300 / 10.0},
                                   {"llm.generation.throughput", 200 / 10.0},
                                   {"llm.ttft", count_at(1)},
                                   {"ttft p50", median_within(0.02, 0.04)},
                                   {"ttft p95", p95_within(0.5, 0.75)}}));
  EXPECT_THAT(common(component), IsEmpty()) << "the engine has said it already";
  EXPECT_EQ(value(component, "dynamo.component.requests.finished"), 240);
  EXPECT_EQ(value(component, "dynamo.component.cache.usage"), 0.35);
}

// TensorRT-LLM behind Dynamo in 2025.
TEST_F(NvidiaEngines, TensorRtLlmOnDynamosWorker) {
  const auto page = [](uint64_t n) {
    constexpr std::string_view kModel =
        R"(dynamo_component="backend",dynamo_namespace="prod",engine_type="trtllm",model_name="llama")";
    Page made;
    made.histogram("trtllm:time_to_first_token_seconds", kModel, kFirstTokenBounds,
                   Latency{0.03, 0.6}.at(n))
        .counter("trtllm:request_success_total",
                 fmt::format(R"(finished_reason="stop",{})", kModel),
                 70 + 20 * static_cast<double>(n));
    return made;
  };
  const std::string model = "trtllm via dynamo model.name=llama";
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(subjects(), ElementsAre(model));
  EXPECT_THAT(common(model), says({{"llm.requests.finished{finish_reason=stop}", 90},
                                   {"llm.request.rate", 20 / 10.0},
                                   {"llm.ttft", count_at(1)},
                                   {"ttft p50", median_within(0.02, 0.04)},
                                   {"ttft p95", p95_within(0.5, 0.75)}}));
}

// Where both are scraped the worker speaks for the model, and the frontend has its own names only.
TEST_F(NvidiaEngines, DynamosFrontendDoesNotCountItsWorkersAgain) {
  Endpoint& frontend = add_endpoint("127.0.0.1:8000");
  Endpoint& worker = add_endpoint("127.0.0.1:9090");
  for (const uint64_t n : {0U, 1U}) {
    worker.read(worker_page(n));
    frontend.read(frontend_page(n));
    publish();
    pass(kInterval);
  }
  EXPECT_THAT(common("dynamo model.name=llama"), IsEmpty());
  EXPECT_EQ(value("dynamo model.name=llama", "dynamo.tokens.generation"), 3800);
  EXPECT_EQ(value("vllm llm.engine.index=0,model.name=llama", "llm.generation.throughput"),
            200 / 10.0);
}

}  // namespace
}  // namespace warpsight::engines::scenario

// Triton by itself, and with the backends that serve language models.
#include "engine_scenario.h"

namespace warpsight::engines::scenario {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

using TritonScenario = EngineScenario;

// The counters that Triton itself has of every version of a model; times are microseconds. So many
// requests, each of which took 25 ms, 4 of them in the queue; four to a batch.
void add_counters(Page& page, std::string_view labels, double requests) {
  page.counter("nv_inference_request_success", labels, requests)
      .counter("nv_inference_count", labels, 4 * requests)
      .counter("nv_inference_exec_count", labels, requests)
      .counter("nv_inference_request_duration_us", labels, 25'000 * requests)
      .counter("nv_inference_queue_duration_us", labels, 4'000 * requests)
      .counter("nv_inference_compute_input_duration_us", labels, 500 * requests)
      .counter("nv_inference_compute_infer_duration_us", labels, 20'000 * requests)
      .counter("nv_inference_compute_output_duration_us", labels, 500 * requests);
}

TEST_F(TritonScenario, EveryVersionOfAModelIsOneOfItsOwn) {
  const auto page = [](double n) {
    constexpr std::string_view kOld = R"(model="resnet",version="1")";
    constexpr std::string_view kNew = R"(model="resnet",version="2")";
    Page made;
    add_counters(made, kOld, 1000 + 100 * n);
    add_counters(made, kNew, 10 + 300 * n);
    made.counter("nv_inference_request_failure", R"(model="resnet",reason="BACKEND",version="1")",
                 3 + 2 * n)
        .counter("nv_inference_request_failure", R"(model="resnet",reason="REJECTED",version="1")",
                 0)
        .gauge("nv_inference_pending_request_count", kOld, 7)
        .gauge("nv_inference_pending_request_count", kNew, 1)
        .gauge("nv_model_load_duration_secs", kNew, 12.5)
        .counter("nv_cache_num_hits_per_model", kOld, 50 + 30 * n)
        .counter("nv_cache_num_misses_per_model", kOld, 90 + 10 * n)
        .counter("nv_cache_hit_duration_per_model", kOld, 1000 + 500 * n)
        .lines(R"(# TYPE nv_inference_request_summary_us summary
nv_inference_request_summary_us{model="resnet",version="1",quantile="0.95"} 26000
)")
        .gauge("nv_pinned_memory_pool_used_bytes", "", 4096)
        .gauge("nv_gpu_utilization", R"(gpu_uuid="GPU-00000000-0000-0000-0000-000000000000")", 0.5)
        .gauge("nv_cpu_utilization", "", 0.25);
    return made;
  };
  const std::string first = "triton model.name=resnet,model.version=1";
  const std::string second = "triton model.name=resnet,model.version=2";
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(subjects(), ElementsAre("triton", first, second));
  EXPECT_THAT(common(first), says({{"llm.requests.finished", 1100},
                                   {"llm.requests.failed{error.type=BACKEND}", 5},
                                   {"llm.requests.failed{error.type=REJECTED}", 0},
                                   {"llm.requests.waiting", 7},
                                   {"llm.error.share", 2 / (100 + 2.0)},
                                   {"llm.request.rate", 100 / 10.0}}));
  EXPECT_THAT(common(second), says({{"llm.requests.finished", 310},
                                    {"llm.requests.waiting", 1},
                                    {"llm.request.rate", 300 / 10.0}}));
  EXPECT_THAT(common("triton"), says({}));

  EXPECT_DOUBLE_EQ(value(first, "triton.request.time"), 1100 * 0.025);
  EXPECT_NEAR(value(first, "triton.request.latency"), 0.025, 1e-9);
  EXPECT_NEAR(value(first, "triton.queue.latency"), 0.004, 1e-9);
  EXPECT_NEAR(value(first, "triton.compute.input_latency"), 0.0005, 1e-9);
  EXPECT_NEAR(value(first, "triton.compute.latency"), 0.02, 1e-9);
  EXPECT_NEAR(value(first, "triton.compute.output_latency"), 0.0005, 1e-9);
  EXPECT_NEAR(value(first, "triton.batch.size"), 4, 1e-9);
  EXPECT_DOUBLE_EQ(value(first, "triton.cache.hit_rate"), 30 / (30 + 10.0));
  EXPECT_DOUBLE_EQ(value(first, "triton.cache.hit_time"), 1500e-6);
  EXPECT_EQ(value(second, "triton.model.load_time"), 12.5);
  EXPECT_FALSE(is_told(second, "triton.cache.hit_rate"));
  EXPECT_EQ(value("triton", "triton.pinned_memory.used"), 4096);
}

TEST_F(TritonScenario, TensorRtLlmBackend) {
  const auto page = [](uint64_t n) {
    constexpr std::string_view kModel = R"(model="tensorrt_llm",version="1")";
    const auto of = [](std::string_view label, std::string_view value) {
      return fmt::format(R"(model="tensorrt_llm",{}="{}",version="1")", label, value);
    };
    Page made;
    add_counters(made, kModel, 200 + 50 * static_cast<double>(n));
    made.gauge("nv_inference_pending_request_count", kModel, 2);
    for (const auto& [type, requests] :
         {std::pair{"waiting", 5}, {"context", 1}, {"scheduled", 8}, {"max", 64}, {"active", 13}}) {
      made.gauge("nv_trt_llm_request_metrics", of("request_type", type), requests);
    }
    for (const auto& [type, blocks] : {std::pair{"used", 400.0},
                                       {"free", 600.0},
                                       {"max", 1000.0},
                                       {"tokens_per", 64.0},
                                       {"fraction", 0.4}}) {
      made.gauge("nv_trt_llm_kv_cache_block_metrics", of("kv_cache_block_type", type), blocks);
    }
    made.gauge("nv_trt_llm_runtime_memory_metrics", of("memory_type", "gpu"), 8e9)
        .gauge("nv_trt_llm_general_metrics", of("general_type", "timestamp"), 1'700'000'000)
        .histogram("nv_inference_first_response_histogram_ms", kModel, {100, 500, 2000, 5000},
                   Latency{80, 1500}.at(n));
    return made;
  };
  const std::string model = "triton model.name=tensorrt_llm,model.version=1";
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  // Milliseconds became seconds. Requests wait in Triton's queue or in the backend's.
  EXPECT_THAT(common(model), says({{"llm.requests.running", 8},
                                   {"llm.batch.size", 8},
                                   {"llm.requests.waiting", 2 + 5},
                                   {"llm.requests.finished", 250},
                                   {"llm.request.rate", 50 / 10.0},
                                   {"llm.kv_cache.usage", 0.4},
                                   {"llm.ttft", count_at(1)},
                                   {"ttft p50", median_within(0, 0.1)},
                                   {"ttft p95", p95_within(0.5, 2)}}));
  EXPECT_EQ(value(model, "triton.trtllm.requests.active"), 13);
  EXPECT_EQ(value(model, "triton.trtllm.requests.waiting"), 5);
  EXPECT_EQ(value(model, "triton.queue.depth"), 2);
  EXPECT_EQ(value(model, "triton.trtllm.kv_cache.used"), 400);
  EXPECT_EQ(value(model, "triton.trtllm.kv_cache.block_size"), 64);
  EXPECT_EQ(value(model, "triton.trtllm.memory.used{memory_type=gpu}"), 8e9);
}

// vLLM's names beside Triton's for the same model: requests are counted by Triton, tokens by vLLM,
// nothing by both.
TEST_F(TritonScenario, VllmBackend) {
  const Bounds first_token(kFirstTokenBounds.begin(), kFirstTokenBounds.begin() + 16);  // to 10 s
  const Bounds token(kTokenBounds.begin(), kTokenBounds.begin() + 13);                  // to 2.5 s
  const auto page = [&](uint64_t n) {
    constexpr std::string_view kModel = R"(model="opt",version="1")";
    const auto times = static_cast<double>(n);
    Page made;
    add_counters(made, kModel, 500 + 100 * times);
    made.gauge("nv_inference_pending_request_count", kModel, 3)
        .counter("vllm:prompt_tokens_total", kModel, 10'000 + 900 * times)
        .counter("vllm:generation_tokens_total", kModel, 4000 + 700 * times)
        .histogram("vllm:time_to_first_token_seconds", kModel, first_token, Latency{0.07, 8}.at(n))
        .histogram("vllm:time_per_output_token_seconds", kModel, token, Latency{0.02, 2}.at(n))
        .histogram("vllm:e2e_request_latency_seconds", kModel,
                   {1, 2.5, 5, 10, 15, 20, 30, 40, 50, 60}, Latency{2, 55}.at(n));
    return made;
  };
  const std::string of_triton = "triton model.name=opt,model.version=1";
  const std::string of_vllm = "vllm model.name=opt,model.version=1";
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(subjects(), ElementsAre(of_triton, of_vllm));
  EXPECT_THAT(common(of_triton), says({{"llm.requests.finished", 600},
                                       {"llm.requests.waiting", 3},
                                       {"llm.request.rate", 100 / 10.0}}));
  EXPECT_THAT(common(of_vllm), says({{"llm.tokens.prompt", 10'900},
                                     {"llm.tokens.generation", 4700},
                                     {"llm.prompt.throughput", 900 / 10.0},
                                     {"llm.generation.throughput", 700 / 10.0},
                                     {"llm.ttft", count_at(1)},
                                     {"llm.itl", count_at(1)},
                                     {"llm.request.latency", count_at(1)},
                                     {"ttft p50", median_within(0.06, 0.08)},
                                     {"ttft p95", p95_within(7.5, 10)},
                                     {"itl p50", median_within(0.01, 0.025)},
                                     {"itl p95", p95_within(1, 2.5)},
                                     {"request p50", median_within(1, 2.5)},
                                     {"request p95", p95_within(50, 60)}}));
}

}  // namespace
}  // namespace warpsight::engines::scenario

// SGLang: schedulers that repeat and split what they say, and a front that splits by streaming.
#include "engine_scenario.h"

namespace warpsight::engines::scenario {
namespace {

using std::chrono::seconds;
using ::testing::IsEmpty;

const Bounds kSglangFirstToken = {0.1, 0.2, 0.4, 0.6, 0.8, 1,  2,   4,   6,
                                  8,   10,  20,  40,  60,  80, 100, 200, 400};
const Bounds kSglangToken = {0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025,
                             0.03,  0.035, 0.04,  0.06,  0.08, 0.1,   0.2,  0.4,
                             0.6,   0.8,   1,     2,     4,    6,     8};
const Bounds kSglangRequest = {0.1, 0.2, 0.4, 0.6, 0.8, 1,   2,   4,   6,    8,    10,
                               20,  40,  60,  80,  100, 200, 400, 600, 1200, 1800, 2400};
const Bounds kSglangQueue = {0, 0.001, 0.005, 0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 10};

const std::string kQwen = "sglang model.name=qwen";

std::string scheduler(std::string_view tp_rank, std::string_view more = {}) {
  return fmt::format(
      R"(engine_type="unified",model_name="qwen",moe_ep_rank="0",pp_rank="0"{},tp_rank="{}")", more,
      tp_rank);
}
std::string front(std::string_view more = {}) {
  return fmt::format(R"(engine_type="unified"{},model_name="qwen")", more);
}

// Two tensor-parallel ranks that both report, and two priorities beside the whole.
Page page_of_two_tp_ranks(uint64_t n) {
  const auto times = static_cast<double>(n);
  Page page;
  for (const std::string_view rank : {"0", "1"}) {
    page.gauge("sglang:num_running_reqs", scheduler(rank, R"(,priority="")"), 12)
        .gauge("sglang:num_running_reqs", scheduler(rank, R"(,priority="0")"), 5)
        .gauge("sglang:num_running_reqs", scheduler(rank, R"(,priority="10")"), 7)
        .gauge("sglang:num_queue_reqs", scheduler(rank, R"(,priority="")"), 4)
        .gauge("sglang:num_queue_reqs", scheduler(rank, R"(,priority="0")"), 4)
        .gauge("sglang:num_queue_reqs", scheduler(rank, R"(,priority="10")"), 0)
        .gauge("sglang:token_usage", scheduler(rank), 0.4)
        .gauge("sglang:cache_hit_rate", scheduler(rank), 0.11)
        .gauge("sglang:gen_throughput", scheduler(rank), 999)
        .counter("sglang:num_retracted_requests_total", scheduler(rank), 3 + times)
        .histogram("sglang:queue_time_seconds", scheduler(rank), kSglangQueue,
                   Latency{0.03, 0.7}.at(n));
  }
  // Nine of ten requests stream.
  for (const double part : {9.0, 1.0}) {
    const std::string labels =
        front(part > 1 ? R"(,is_streaming="True")" : R"(,is_streaming="False")");
    page.counter("sglang:num_requests_total", labels, part * (10 + 2 * times))
        .counter("sglang:prompt_tokens_total", labels, part * (1000 + 500 * times))
        .counter("sglang:generation_tokens_total", labels, part * (700 + 200 * times));
  }
  const std::string streamed = front(R"(,is_streaming="True")");
  const std::string at_once = front(R"(,is_streaming="False")");
  page.histogram("sglang:time_to_first_token_seconds", streamed, kSglangFirstToken,
                 {{0.15, 1000 + 60 * n}})
      .histogram("sglang:time_to_first_token_seconds", at_once, kSglangFirstToken,
                 {{3, 50 + 40 * n}})
      .histogram("sglang:e2e_request_latency_seconds", streamed, kSglangRequest,
                 {{0.9, 1000 + 60 * n}})
      .histogram("sglang:e2e_request_latency_seconds", at_once, kSglangRequest, {{7, 50 + 40 * n}})
      .histogram("sglang:inter_token_latency_seconds", front(), kSglangToken,
                 Latency{0.012, 0.07}.at(n))
      .counter("sglang:cached_tokens_total", front(R"(,cache_source="device")"), 100 + 900 * times)
      .counter("sglang:cached_tokens_total", front(R"(,cache_source="host")"), 100 + 600 * times)
      .counter("sglang:num_aborted_requests_total", front(), 6);
  return page;
}

using SglangScenario = EngineScenario;

TEST_F(SglangScenario, CopiesAndPartsAreNotCountedAgain) {
  scrape(page_of_two_tp_ranks(0));
  scrape_after(seconds{10}, page_of_two_tp_ranks(1));
  EXPECT_THAT(common(kQwen), says({
                                 {"llm.requests.running", 12},
                                 {"llm.requests.waiting", 4},
                                 {"llm.requests.finished", (9 + 1) * 12},
                                 {"llm.request.rate", (9 + 1) * 2 / 10.0},
                                 {"llm.preemptions", 4},
                                 {"llm.tokens.prompt", (9 + 1) * 1500},
                                 {"llm.tokens.generation", (9 + 1) * 900},
                                 {"llm.prompt.throughput", (9 + 1) * 500 / 10.0},
                                 {"llm.generation.throughput", (9 + 1) * 200 / 10.0},
                                 {"llm.kv_cache.usage", 0.4},
                                 {"llm.prefix_cache.queried_tokens", (9 + 1) * 1500},
                                 {"llm.prefix_cache.cached_tokens", 1000 + 700},
                                 {"llm.prefix_cache.hits", (900 + 600) / (10 * 500.0)},
                                 {"llm.ttft", count_at(1)},
                                 {"llm.itl", count_at(1)},
                                 {"llm.request.latency", count_at(1)},
                                 {"llm.queue.latency", count_at(1)},
                                 {"ttft p50", median_within(0.1, 0.2)},
                                 {"ttft p95", p95_within(2, 4)},
                                 {"itl p50", median_within(0.01, 0.015)},
                                 {"itl p95", p95_within(0.06, 0.08)},
                                 {"request p50", median_within(0.8, 1)},
                                 {"request p95", p95_within(6, 8)},
                                 {"queue p50", median_within(0.01, 0.05)},
                                 {"queue p95", p95_within(0.5, 1)},
                             }))
      << "a request that was given up is no failure, and there is no mean time per token";
}

TEST_F(SglangScenario, ItsOwnNamesTellCopiesAndPartsApart) {
  scrape(page_of_two_tp_ranks(0));
  scrape_after(seconds{10}, page_of_two_tp_ranks(1));
  const std::string second = "sglang llm.moe_ep_rank=0,llm.pp_rank=0,llm.tp_rank=1,model.name=qwen";
  EXPECT_EQ(value(second, "sglang.requests.running{llm.engine.type=unified}"), 12);
  EXPECT_EQ(value(second, "sglang.requests.running{llm.engine.type=unified,priority=10}"), 7);
  EXPECT_EQ(value(second, "sglang.generation.reported_throughput{llm.engine.type=unified}"), 999);
  EXPECT_EQ(value(kQwen, "sglang.requests.aborted{llm.engine.type=unified}"), 6);
  EXPECT_EQ(value(kQwen, "sglang.tokens.prompt{is_streaming=False,llm.engine.type=unified}"), 1500);
  EXPECT_DOUBLE_EQ(value(kQwen, "sglang.generation.throughput"), 200);
}

TEST_F(SglangScenario, RanksOfDataParallelismAreToldOrMerged) {
  const auto page = [] {
    Page made;
    made.gauge("sglang:num_running_reqs", scheduler("0", R"(,dp_rank="0")"), 3)
        .gauge("sglang:num_running_reqs", scheduler("0", R"(,dp_rank="1")"), 50)
        .gauge("sglang:token_usage", scheduler("0", R"(,dp_rank="0")"), 0.2)
        .gauge("sglang:token_usage", scheduler("0", R"(,dp_rank="1")"), 0.8);
    return made;
  };
  scrape(page());
  EXPECT_THAT(common("sglang llm.dp_rank=1,model.name=qwen"),
              says({{"llm.requests.running", 50}, {"llm.kv_cache.usage", 0.8}}));
  Endpoint& merged =
      add_endpoint("127.0.0.1:30001", {.allow = {}, .deny = {}, .merge_ranks = true});
  merged.read(page());
  publish();
  EXPECT_THAT(common(kQwen),
              says({{"llm.requests.running", 53}, {"llm.kv_cache.usage", (0.2 + 0.8) / 2}}));
}

// Release 0.4.3: neither streaming nor ranks are told apart, both names of the latency stand beside
// each other.
TEST_F(SglangScenario, NamesOfAnOldRelease) {
  const auto page = [](uint64_t n) {
    constexpr std::string_view kModel = R"(model_name="qwen")";
    const auto times = static_cast<double>(n);
    Page made;
    made.gauge("sglang:num_running_reqs", kModel, 2)
        .gauge("sglang:num_queue_reqs", kModel, 1)
        .gauge("sglang:token_usage", kModel, 0.3)
        .gauge("sglang:cache_hit_rate", kModel, 0.5)
        .counter("sglang:prompt_tokens_total", kModel, 40 * times)
        .counter("sglang:generation_tokens_total", kModel, 30 * times)
        .histogram("sglang:time_per_output_token_seconds", kModel, kSglangToken,
                   Latency{0.012, 0.07}.at(n))
        .histogram("sglang:inter_token_latency_seconds", kModel, kSglangToken,
                   Latency{0.012, 0.07}.at(n));
    return made;
  };
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(common("sglang model.name=qwen"), says({
                                                    {"llm.requests.running", 2},
                                                    {"llm.requests.waiting", 1},
                                                    {"llm.kv_cache.usage", 0.3},
                                                    {"llm.prefix_cache.queried_tokens", 40},
                                                    {"llm.tokens.prompt", 40},
                                                    {"llm.tokens.generation", 30},
                                                    {"llm.prompt.throughput", 40 / 10.0},
                                                    {"llm.generation.throughput", 30 / 10.0},
                                                    {"llm.itl", count_at(1)},
                                                    {"itl p50", median_within(0.01, 0.015)},
                                                    {"itl p95", p95_within(0.06, 0.08)},
                                                }))
      << "all prompt tokens are looked up, but the hit share of its last log line is not the "
         "window's";
  EXPECT_EQ(value("sglang model.name=qwen", "sglang.cache.hit_rate"), 0.5);
}

// The gateway before the engines: told of where no engine speaks for the model. Its latencies are
// split by endpoint; its time to first token is a summary.
TEST_F(SglangScenario, TheModelGateway) {
  const auto page = [](uint64_t n) {
    const auto times = static_cast<double>(n);
    const auto routed = [](std::string_view endpoint, std::string_view more = {}) {
      return fmt::format(
          R"(backend_type="regular",endpoint="{}",model="qwen",router_type="grpc"{})", endpoint,
          more);
    };
    const Bounds bounds = {0.001, 0.01, 0.1, 0.5, 1, 5, 10, 60, 240};
    Page made;
    made.counter("smg_router_requests_total", routed("chat", R"(,streaming="true")"),
                 100 + 30 * times)
        .counter("smg_router_requests_total", routed("generate", R"(,streaming="false")"),
                 10 + 5 * times)
        .counter("smg_router_request_errors_total", routed("chat", R"(,error_type="timeout")"), 4)
        .counter("smg_router_tokens_total", routed("chat", R"(,token_type="input")"),
                 1000 + 400 * times)
        .counter("smg_router_tokens_total", routed("chat", R"(,token_type="output")"),
                 500 + 100 * times)
        .histogram("smg_router_request_duration_seconds", routed("chat"), bounds,
                   {{0.7, 1000 + 60 * n}})
        .histogram("smg_router_request_duration_seconds", routed("generate"), bounds,
                   {{8, 50 + 40 * n}})
        .lines("# TYPE smg_router_ttft_seconds summary\n")
        .value("smg_router_ttft_seconds", routed("chat", R"(,quantile="0.5")"), 0.2)
        .gauge("smg_worker_pool_size",
               R"(connection_mode="grpc",model="qwen",worker_type="regular")", 2);
    return made;
  };
  const std::string model = "sglang_gateway model.name=qwen";
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(common(model), says({{"llm.requests.finished", 130 + 15},
                                   {"llm.requests.failed{error.type=timeout}", 4},
                                   {"llm.error.share", 0},
                                   {"llm.request.rate", (30 + 5) / 10.0},
                                   {"llm.tokens.prompt", 1400},
                                   {"llm.tokens.generation", 600},
                                   {"llm.prompt.throughput", 400 / 10.0},
                                   {"llm.generation.throughput", 100 / 10.0},
                                   {"llm.request.latency", count_at(1)},
                                   {"request p50", median_within(0.5, 1)},
                                   {"request p95", p95_within(5, 10)}}));

  // What it told before is stale after two intervals.
  Endpoint& engine = add_endpoint("127.0.0.1:30000");
  for (const uint64_t n : {2U, 3U, 4U}) {
    pass(kInterval);
    engine.read("sglang:num_running_reqs{model_name=\"qwen\"} 3\n");
    scrape(page(n));
  }
  EXPECT_THAT(common(model), IsEmpty()) << "the engine speaks for its model now";
  EXPECT_EQ(value(model,
                  "sglang_gateway.tokens.prompt{backend_type=regular,endpoint=chat,"
                  "router_type=grpc}"),
            1000 + 4 * 400);
}

}  // namespace
}  // namespace warpsight::engines::scenario

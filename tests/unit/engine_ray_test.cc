// Ray's metrics agent: Ray Serve itself, and vLLM behind it.
#include "engine_scenario.h"

namespace warpsight::engines::scenario {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kRayLabels =
    R"(Component="core_worker",JobId="01000000",NodeAddress="10.0.0.1",SessionName="s",Version="2.50.0")";

class RayScenario : public EngineScenario {
 protected:
  static std::string labels(std::string_view more, std::string_view worker = "w1") {
    return fmt::format(R"({},WorkerId="{}",{})", kRayLabels, worker, more);
  }
};

TEST_F(RayScenario, RayServe) {
  const Bounds milliseconds = {1,   2,    5,    10,   20,    50,    100,    200,    300,   400,
                               500, 1000, 2000, 5000, 10000, 60000, 120000, 300000, 600000};
  const auto page = [&](uint64_t n) {
    const auto times = static_cast<double>(n);
    const std::string replica = labels(R"(application="llm",deployment="LLMServer",replica="abc")");
    const std::string other = labels(R"(application="llm",deployment="LLMServer",replica="def")");
    const std::string route =
        labels(R"(application="llm",method="POST",route="/v1",status_code="200")");
    Page made;
    made.gauge("ray_serve_replica_processing_queries", replica, 5)
        .gauge("ray_serve_replica_processing_queries", other, 2)
        .gauge("ray_serve_replica_utilization_percent", replica, 62.5)
        .gauge("ray_serve_deployment_queued_queries",
               labels(R"(actor_id="a",application="llm",deployment="LLMServer",handle="h")"), 3)
        .gauge("ray_serve_deployment_replica_healthy", replica, 1)
        .gauge("ray_serve_deployment_replica_healthy",
               labels(R"(application="llm",deployment="LLMServer")"), 2)
        .counter("ray_serve_num_http_requests_total", route, 400 + 60 * times)
        .gauge("ray_serve_num_http_requests", route, 400 + 60 * times)
        .histogram("ray_serve_http_request_latency_ms", route, milliseconds,
                   Latency{150, 3000}.at(n))
        .histogram("ray_serve_deployment_processing_latency_ms", replica, milliseconds,
                   Latency{120, 2500}.at(n));
    return made;
  };
  const std::string application = "ray ray.application=llm";
  const std::string deployment = "ray ray.application=llm,ray.deployment=LLMServer";
  const std::string facet =
      "{http.request.method=POST,http.response.status_code=200,http.route=/v1}";
  scrape(page(0));
  scrape_after(seconds{10}, page(1));
  EXPECT_THAT(subjects(), ElementsAre(application, deployment));
  EXPECT_THAT(common(application), IsEmpty());
  EXPECT_THAT(common(deployment), IsEmpty()) << "a deployment is no model";
  EXPECT_EQ(value(application, "ray.serve.http.requests" + facet), 460);
  EXPECT_EQ(value(application, "ray.serve.http.latency" + facet), count_at(1));
  EXPECT_EQ(value(deployment, "ray.serve.replica.processing{ray.replica=abc}"), 5);
  EXPECT_EQ(value(deployment, "ray.serve.replica.processing{ray.replica=def}"), 2);
  EXPECT_EQ(value(deployment, "ray.serve.replica.utilization{ray.replica=abc}"), 0.625);
  EXPECT_EQ(value(deployment, "ray.serve.deployment.queued"), 3);
  EXPECT_EQ(value(deployment, "ray.serve.deployment.healthy_replicas"), 2);
  EXPECT_EQ(value(deployment, "ray.serve.deployment.healthy_replicas{ray.replica=abc}"), 1);
}

// vLLM behind Ray under either of Ray's prefixes. Ray has every counter a second time, as a gauge
// without the suffix.
class RayVllm : public RayScenario, public ::testing::WithParamInterface<std::string_view> {
 protected:
  static std::string model(std::string_view worker) {
    return labels(R"(engine="0",model_name="llama")", worker);
  }
  static void add_counter(Page& page, std::string_view name, const std::string& labels,
                          double value) {
    page.counter(fmt::format("{}_total", name), labels, value).gauge(name, labels, value);
  }
  static Page page(std::string_view prefix, std::string_view worker, uint64_t n, double load = 1) {
    const auto times = static_cast<double>(n);
    const auto named = [&](std::string_view name) { return fmt::format("{}{}", prefix, name); };
    Page made;
    made.gauge(named("num_requests_running"), model(worker), 4 * load)
        .gauge(named("num_requests_waiting"), model(worker), 1 * load)
        .gauge(named("kv_cache_usage_perc"), model(worker), 0.25);
    add_counter(made, named("prompt_tokens"), model(worker), load * (700 + 90 * times));
    add_counter(made, named("generation_tokens"), model(worker), load * (500 + 60 * times));
    add_counter(made, named("request_success"),
                labels(R"(engine="0",finished_reason="stop",model_name="llama")", worker),
                load * (40 + 10 * times));
    add_counter(made, named("prefix_cache_queries"), model(worker), load * (100 + 80 * times));
    add_counter(made, named("prefix_cache_hits"), model(worker), load * (10 + 20 * times));
    made.histogram(named("time_to_first_token_seconds"), model(worker), kFirstTokenBounds,
                   Latency{0.07, 0.3}.at(n))
        .histogram(named("inter_token_latency_seconds"), model(worker), kTokenBounds,
                   Latency{0.02, 0.06}.at(n))
        .histogram(named("e2e_request_latency_seconds"), model(worker), kRequestBounds,
                   Latency{1.2, 7}.at(n))
        .histogram(named("request_queue_time_seconds"), model(worker), kRequestBounds,
                   Latency{0.2, 0.9}.at(n))
        .histogram(named("iteration_tokens_total"), model(worker), {1, 8, 16}, {{7, 10 * n}});
    return made;
  }
  static Told expected_of_one() {
    return {{"llm.requests.running", 4},
            {"llm.requests.waiting", 1},
            {"llm.requests.finished{finish_reason=stop}", 50},
            {"llm.request.rate", 10 / 10.0},
            {"llm.tokens.prompt", 790},
            {"llm.tokens.generation", 560},
            {"llm.prompt.throughput", 90 / 10.0},
            {"llm.generation.throughput", 60 / 10.0},
            {"llm.kv_cache.usage", 0.25},
            {"llm.prefix_cache.queried_tokens", 180},
            {"llm.prefix_cache.cached_tokens", 30},
            {"llm.prefix_cache.hits", 20 / 80.0},
            {"llm.ttft", count_at(1)},
            {"llm.itl", count_at(1)},
            {"llm.request.latency", count_at(1)},
            {"llm.queue.latency", count_at(1)},
            {"ttft p50", median_within(0.06, 0.08)},
            {"ttft p95", p95_within(0.25, 0.5)},
            {"itl p50", median_within(0.01, 0.025)},
            {"itl p95", p95_within(0.05, 0.075)},
            {"request p50", median_within(1, 1.5)},
            {"request p95", p95_within(5, 10)},
            {"queue p50", median_within(0, 0.3)},
            {"queue p95", p95_within(0.8, 1)}};
  }

  const std::string first_ = "vllm via ray llm.engine.index=0,llm.replica=w1,model.name=llama";
  const std::string second_ = "vllm via ray llm.engine.index=0,llm.replica=w2,model.name=llama";
};

TEST_P(RayVllm, CountersAndTheirCopiesAreOne) {
  scrape(page(GetParam(), "w1", 0));
  scrape_after(seconds{10}, page(GetParam(), "w1", 1));
  EXPECT_THAT(subjects(), ElementsAre(first_));
  EXPECT_THAT(common(first_), says(expected_of_one()));
  EXPECT_EQ(value(first_, "vllm.tokens.generation"), 560);
  EXPECT_EQ(value(first_, "vllm.iteration.tokens"), 10);
}

TEST_P(RayVllm, ReplicasAreToldApartOrMerged) {
  const auto both = [&](uint64_t n) {
    return Page().lines(page(GetParam(), "w1", n)).lines(page(GetParam(), "w2", n, 10));
  };
  scrape(both(0));
  scrape_after(seconds{10}, both(1));
  EXPECT_EQ(value(first_, "llm.generation.throughput"), 60 / 10.0);
  EXPECT_EQ(value(second_, "llm.generation.throughput"), 10 * 60 / 10.0);

  Endpoint& merged =
      add_endpoint("127.0.0.1:8081", {.own = false, .allow = {}, .deny = {}, .merge_ranks = true});
  merged.read(both(2));
  publish();
  pass(kInterval);
  merged.read(both(3));
  publish();
  const std::string all = "vllm via ray model.name=llama";
  EXPECT_EQ(value(all, "llm.requests.running"), 4 + 40);
  EXPECT_EQ(value(all, "llm.tokens.generation"), 680 + 6800);
  EXPECT_EQ(value(all, "llm.generation.throughput"), (60 + 600) / 10.0);
  EXPECT_EQ(value(all, "llm.kv_cache.usage"), 0.25);
  EXPECT_DOUBLE_EQ(value(all, "ttft p95"), p95_within(0.25, 0.5));
}

// The engine's own page beside Ray's, two scrapes of both.
class RayVllmBesideTheEngine : public RayVllm {
 protected:
  // `of` makes a page of counters with a prefix and labels.
  template <typename Fn>
  void play(Fn&& of) {
    Endpoint& ray = add_endpoint("127.0.0.1:8080");
    Endpoint& direct = add_endpoint("127.0.0.1:8000");
    for (const double n : {0.0, 1.0}) {
      direct.read(of("vllm:", R"(engine="0",model_name="llama")", n));
      ray.read(of(std::string(GetParam()), model("w1"), n));
      publish();
      pass(kInterval);
    }
  }
  const std::string engine_ = "vllm llm.engine.index=0,model.name=llama";
};

TEST_P(RayVllmBesideTheEngine, IsNotCountedAgain) {
  play([](const std::string& prefix, const std::string& labels, double n) {
    return Page()
        .gauge(prefix + "num_requests_running", labels, 4)
        .counter(prefix + "generation_tokens_total", labels, 500 + 60 * n);
  });
  EXPECT_THAT(common(engine_), says({{"llm.requests.running", 4},
                                     {"llm.tokens.generation", 560},
                                     {"llm.generation.throughput", 60 / 10.0}}));
  EXPECT_THAT(common(first_), IsEmpty());
  EXPECT_EQ(value(first_, "vllm.tokens.generation"), 560) << "its own names are told all the same";
}

TEST_P(RayVllmBesideTheEngine, TellsNoHitShareAgain) {
  play([](const std::string& prefix, const std::string& labels, double n) {
    return Page()
        .gauge(prefix + "num_requests_running", labels, 4)
        .counter(prefix + "prefix_cache_queries_total", labels, 100 + 80 * n)
        .counter(prefix + "prefix_cache_hits_total", labels, 10 + 20 * n);
  });
  EXPECT_THAT(common(engine_), says({{"llm.requests.running", 4},
                                     {"llm.prefix_cache.queried_tokens", 180},
                                     {"llm.prefix_cache.cached_tokens", 30},
                                     {"llm.prefix_cache.hits", 20 / 80.0}}));
  EXPECT_THAT(common(first_), IsEmpty());
}

std::string prefix_name(const ::testing::TestParamInfo<std::string_view>& prefix) {
  return prefix.param.ends_with(':') ? "Colon" : "Underscore";
}
const auto kPrefixes = ::testing::Values("ray_vllm:", "ray_vllm_");
INSTANTIATE_TEST_SUITE_P(Prefixes, RayVllm, kPrefixes, prefix_name);
INSTANTIATE_TEST_SUITE_P(Prefixes, RayVllmBesideTheEngine, kPrefixes, prefix_name);

}  // namespace
}  // namespace warpsight::engines::scenario

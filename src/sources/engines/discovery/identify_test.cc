#include "sources/engines/discovery/identify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "sources/engines/discovery/known_engines_for_test.h"

namespace warpsight::engines {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

struct Answer {
  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";
};

Answer page(std::string body) { return {200, std::move(body), "text/plain; version=0.0.4"}; }

// A server by its paths; what it does not have is 404.
class Identify : public ::testing::Test {
 protected:
  Verdict identify(const std::map<std::string, Answer>& server,
                   const std::vector<std::string>& command_lines = {}, uint16_t port = 8000) {
    asked_.clear();
    Identification identification(tables_, port, command_lines);
    for (;;) {
      auto next = identification.next();
      if (auto* verdict = std::get_if<Verdict>(&next)) return *verdict;
      const auto& path = std::get<std::string>(next);
      asked_.push_back(path);
      if (asked_.size() > 20) return {};
      const auto found = server.find(path);
      const Answer answer = found != server.end() ? found->second : Answer{404, "Not Found", ""};
      identification.take(path, answer.status, answer.body, answer.content_type);
    }
  }

  std::vector<EngineTable> tables_ = testing::known_engines();
  std::vector<std::string> asked_;
};

const Answer kVersion{200, R"({"version": "1.2.0"})"};
Answer models(const std::string& owner) {
  return {200, R"({"object":"list","data":[{"id":"m","meta":{"x":[1,{"y":"}"}]},"owned_by":")" +
                   owner + R"("},{"owned_by":"other"}]})"};
}

TEST_F(Identify, ACommandLineTellsTheEngineAndItsPageIsChecked) {
  const Verdict verdict =
      identify({{"/version", {200, R"({"version":"0.11.0"})"}}, {"/metrics", page("vllm:x 1\n")}},
               {"/usr/bin/python3 /usr/bin/vllm serve m --api-key secret"});
  EXPECT_EQ(verdict.finding, Finding::engine);
  EXPECT_EQ(verdict.engine->name, "vllm");
  EXPECT_EQ(verdict.evidence, Evidence::command_line);
  EXPECT_EQ(verdict.version, "0.11.0");
  EXPECT_EQ(verdict.path, "/metrics");
  EXPECT_THAT(asked_, ElementsAre("/version", "/metrics"));
}

TEST_F(Identify, AParentsCommandLineTellsToo) {
  const Verdict verdict =
      identify({{"/metrics", page("vllm:x 1\n")}}, {"VLLM::ApiServer_0", "vllm serve m"});
  EXPECT_EQ(verdict.engine->name, "vllm");
  EXPECT_EQ(verdict.finding, Finding::engine);
}

TEST_F(Identify, TheListOfModelsTellsTheEngine) {
  for (const auto& [owner, name] : {std::pair{"vllm", "vllm"}, {"vllm-fork", "vllm"}}) {
    const Verdict verdict = identify(
        {{"/version", kVersion}, {"/v1/models", models(owner)}, {"/metrics", page("vllm:x 1\n")}});
    EXPECT_EQ(verdict.finding, Finding::engine);
    EXPECT_EQ(verdict.engine->name, name);
    EXPECT_EQ(verdict.evidence, Evidence::models);
    EXPECT_EQ(verdict.version, "1.2.0");
    EXPECT_THAT(asked_, ElementsAre("/version", "/v1/models", "/metrics"));
  }
}

// However it is met, the page that forgets what it has told is not asked for.
TEST_F(Identify, TrtllmServeIsNeverAskedForMetrics) {
  const Answer stats{200, "[]"};
  const std::vector<std::vector<std::string>> owners = {
      {},
      {"python3 trtllm-serve serve m"},
      {"trtllm-serve m --served-model-name vllm.entrypoints"},
      {"python worker.py", "vllm serve then trtllm-serve"}};
  const std::vector<std::map<std::string, Answer>> servers = {
      {{"/version", kVersion}, {"/v1/models", models("tensorrt_llm")}},
      {{"/version", kVersion}, {"/v1/models", models("renamed-by-a-proxy")}},
      {{"/version", kVersion}, {"/v1/models", {200, R"({"data":[]})"}}},
      {{"/version", kVersion}},
      {{"/version", kVersion}, {"/v1/models", {500, ""}}},
      {{"/version", {503, ""}}},
      {{"/version", {429, ""}}},
      {{"/version", kVersion}, {"/v1/models", {401, ""}}},
  };
  for (const auto& lines : owners) {
    for (auto server : servers) {
      server["/metrics"] = stats;
      identify(server, lines);
      EXPECT_THAT(asked_, Not(Contains("/metrics")));
      server["/prometheus/metrics"] = page("trtllm_request_success_total 1\n");
      const Verdict verdict = identify(server, lines);
      EXPECT_THAT(asked_, Not(Contains("/metrics")));
      if (verdict.finding == Finding::engine) {
        EXPECT_EQ(verdict.engine->name, "trtllm");
        EXPECT_EQ(verdict.path, "/prometheus/metrics");
      }
    }
  }
}

TEST_F(Identify, TrtllmServeIsFoundByItsModelsAndByItsPage) {
  const Answer metrics = page("trtllm_request_success_total 1\n");
  Verdict verdict = identify({{"/version", kVersion},
                              {"/v1/models", models("tensorrt_llm")},
                              {"/prometheus/metrics", metrics}});
  EXPECT_EQ(verdict.finding, Finding::engine);
  EXPECT_EQ(verdict.path, "/prometheus/metrics");
  verdict = identify({{"/version", kVersion},
                      {"/v1/models", models("renamed")},
                      {"/prometheus/metrics", metrics}});
  EXPECT_EQ(verdict.finding, Finding::engine);
  EXPECT_EQ(verdict.evidence, Evidence::page);
}

TEST_F(Identify, TgiWhoseModelsOwnThemselvesIsFoundByItsPage) {
  const Verdict verdict = identify(
      {{"/v1/models", models("vllm-project/model")}, {"/metrics", page("tgi_queue_size 0\n")}}, {},
      3000);
  EXPECT_EQ(verdict.finding, Finding::engine);
  EXPECT_EQ(verdict.engine->name, "tgi");
  EXPECT_EQ(verdict.evidence, Evidence::page);
}

TEST_F(Identify, APageElsewhereIsFoundAndSignsDecide) {
  const Verdict verdict = identify({{"/v1/metrics", page("# TYPE gpu_cache_usage_perc gauge\n"
                                                         "gpu_cache_usage_perc 0.1\n")}});
  EXPECT_EQ(verdict.finding, Finding::engine);
  EXPECT_EQ(verdict.engine->name, "nim");
  EXPECT_EQ(verdict.path, "/v1/metrics");
}

TEST_F(Identify, AnyOtherServerIsNone) {
  EXPECT_EQ(identify({}).finding, Finding::not_an_engine);
  EXPECT_EQ(identify({{"/metrics", page("node_load1 0.5\n")}}).finding, Finding::not_an_engine);
  const Answer site{200, "<html><body>vllm:x 1</body></html>", "text/html"};
  EXPECT_EQ(identify({{"/version", site}, {"/v1/models", site}, {"/metrics", site}}).finding,
            Finding::not_an_engine);
  const Answer login{302, "", ""};
  EXPECT_EQ(identify({{"/version", login}, {"/v1/models", login}, {"/metrics", login}}).finding,
            Finding::not_an_engine);
}

TEST_F(Identify, AnEngineWithoutMetricsComesWithAHint) {
  Verdict verdict = identify({{"/v1/models", models("llamacpp")}, {"/metrics", {501, "{}"}}});
  EXPECT_EQ(verdict.finding, Finding::metrics_off);
  EXPECT_EQ(verdict.engine->name, "llamacpp");
  EXPECT_THAT(verdict.hint, ::testing::HasSubstr("--metrics"));
  verdict = identify({}, {"python3 -m sglang.launch_server"});
  EXPECT_EQ(verdict.finding, Finding::metrics_off);
  EXPECT_THAT(verdict.hint, ::testing::HasSubstr("--enable-metrics"));
  verdict = identify({{"/version", kVersion}, {"/v1/models", models("tensorrt_llm")}});
  EXPECT_EQ(verdict.finding, Finding::metrics_off);
  EXPECT_THAT(verdict.hint, ::testing::HasSubstr("return_perf_metrics"));
}

TEST_F(Identify, CredentialsAreAskedForWhereThePageNeedsThem) {
  EXPECT_EQ(identify({{"/version", {403, ""}}}).finding, Finding::needs_credentials);
  EXPECT_EQ(identify({{"/metrics", {401, ""}}}, {"llama-server -m x"}).finding,
            Finding::needs_credentials);
  // A version behind a lock is no reason to leave an open page alone.
  EXPECT_EQ(
      identify({{"/version", {401, ""}}, {"/metrics", page("vllm:x 1\n")}}, {"vllm serve"}).finding,
      Finding::engine);
}

TEST_F(Identify, NoAnswerAndNotReadyAreNoVerdictOnTheEngine) {
  EXPECT_EQ(identify({{"/version", {0, ""}}}).finding, Finding::unreachable);
  EXPECT_EQ(asked_.size(), 1u);
  EXPECT_EQ(identify({{"/metrics", {503, ""}}}, {"llama-server -m x"}).finding, Finding::undecided);
}

TEST_F(Identify, ThePageHasTheLastWord) {
  const Verdict verdict = identify({{"/metrics", page("sglang:x 1\n")}}, {"sh -c 'vllm serve'"});
  EXPECT_EQ(verdict.engine->name, "sglang");
  EXPECT_EQ(verdict.evidence, Evidence::page);
}

TEST_F(Identify, AtMostSixRequests) {
  for (int i = 0; i < 10; ++i) tables_[0].paths.push_back("/page" + std::to_string(i));
  identify({}, {"vllm serve"});
  EXPECT_LE(asked_.size(), Identification::kMaxRequests);
  identify({});
  EXPECT_LE(asked_.size(), Identification::kMaxRequests);
}

TEST_F(Identify, AnAnswerToAnotherPathIsIgnored) {
  Identification identification(tables_, 8000, {});
  identification.take("/metrics", 401, "", "");
  EXPECT_EQ(std::get<std::string>(identification.next()), "/version");
}

TEST(PrometheusPage, IsToldFromOtherText) {
  EXPECT_TRUE(is_prometheus_page("a 1\n", ""));
  EXPECT_TRUE(is_prometheus_page("a 1\nb{c=\"d", "text/plain"));
  EXPECT_TRUE(is_prometheus_page("", "text/plain; version=0.0.4; charset=utf-8"));
  EXPECT_FALSE(is_prometheus_page("", "text/plain"));
  EXPECT_FALSE(is_prometheus_page("[]", "text/plain"));
  EXPECT_FALSE(is_prometheus_page("a 1\n", "text/html"));
  EXPECT_FALSE(is_prometheus_page("not found\n", "text/plain"));
}

}  // namespace
}  // namespace warpsight::engines

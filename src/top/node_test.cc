#include "top/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "top/address.h"
#include "top/documents_test.h"
#include "top/history.h"
#include "top/table.h"

namespace warpsight::top {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TopNode, ReadsWhatTheAgentTells) {
  const auto node = parse_node(
      test::document({.simulated = true, .alerts = test::kAlerts, .events = test::kEvents}));
  ASSERT_TRUE(node);
  EXPECT_EQ(node->host, "node7");
  EXPECT_TRUE(node->simulated);
  ASSERT_EQ(node->gpus.size(), 8U);
  const Gpu& gpu = node->gpus[4];
  EXPECT_EQ(gpu.value("gpu.utilization"), 0.5);
  EXPECT_FALSE(gpu.value("gpu.fan.speed"));
  EXPECT_NEAR(*gpu.memory_share(), 4e10 / 85899345920.0, 1e-9);
  EXPECT_EQ(gpu.owners[0].name, "ml/train-4/worker");
  EXPECT_EQ(gpu.processes[0].pid, "4004");
  ASSERT_EQ(node->engines.size(), 2U);
  EXPECT_EQ(node->engines[0].models[0].quantile("ttft", "0.95"), 0.31);
  EXPECT_FALSE(node->engines[0].models[0].quantile("ttft", "0.99"));
  EXPECT_FALSE(node->engines[1].up);
  EXPECT_EQ(node->alerts_in("firing"), 1U);
  EXPECT_FALSE(node->alerts[1].fired);
  EXPECT_EQ(node->events[0].attributes.at("gpu.uuid"), "GPU-0005");
}

TEST(TopNode, BeforeTheFirstPublishThereIsNoTime) {
  const auto node = parse_node(R"({"time":null,"host":"a","gpus":[]})");
  ASSERT_TRUE(node);
  EXPECT_FALSE(node->time);
}

TEST(TopNode, UsageIsTheBestThatIsTold) {
  const auto usage = [](const std::string& values) {
    return parse_node(R"({"gpus":[{"id":"a","values":{)" + values + "}}]}")->gpus[0].usage();
  };
  const std::string activity = R"("gpu.sm.active":0.25,"gpu.gr_engine.active":0.5)";
  EXPECT_EQ(usage(activity + R"(,"gpu.utilization":0)"), 0);
  EXPECT_EQ(usage(activity), 0.5);
  EXPECT_EQ(usage(R"("gpu.sm.active":0.25)"), 0.25);
  EXPECT_FALSE(usage(R"("gpu.temperature":40)"));
}

TEST(TopNode, RefusesWhatIsNoNode) {
  EXPECT_FALSE(parse_node(""));
  EXPECT_FALSE(parse_node("<html>"));
  EXPECT_FALSE(parse_node("[]"));
  const auto other = parse_node(R"({"hello":"world"})");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().hint, HasSubstr("Warpsight"));
}

TEST(TopNode, NothingForeignReachesTheTerminalAsIs) {
  const auto node = parse_node(R"({"host":"a\u001b[2Jb\nc","gpus":[{"id":")" +
                               std::string(5000, 'x') + R"("}]})");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->host, "a?[2Jb c");
  EXPECT_LT(node->gpus[0].id.size(), 300U);
}

TEST(TopHistory, ASampleHoldsUntilItIsTooOld) {
  History history;
  for (const int ago : {30, 20, 10, 0}) {
    history.add(*parse_node(test::document({.gpus = 2, .time = 1000.0 - ago})));
  }
  const auto line = history.line("GPU-0001", Measure::utilization, 1000, 60, 15);
  EXPECT_EQ(line[59], 0.125F);
  EXPECT_EQ(line[56], 0.125F);
  EXPECT_TRUE(std::isnan(line[55]));
  EXPECT_TRUE(std::isnan(history.line("GPU-9", Measure::power, 1000, 4, 15)[3]));
}

TEST(TopHistory, ForgetsWhatIsTooOld) {
  History history;
  history.add(*parse_node(test::document({.gpus = 1, .time = 1000})));
  history.add(*parse_node(test::document({.gpus = 1, .time = 1700})));
  EXPECT_TRUE(std::isnan(history.line("GPU-0000", Measure::power, 1000, 4, 15)[3]));
}

TEST(TopHistory, TheAgentsOwnHistoryComesBeforeWhatWasSeen) {
  const auto node = parse_node(test::document({.gpus = 2, .time = 1000}));
  const Past past = parse_past(
      R"({"times":[980,990,1000],"series":[
        {"metric":"gpu.utilization","attributes":{"gpu.uuid":"GPU-0001"},"values":[0.25,null,0.9]},
        {"metric":"gpu.memory.used","attributes":{"gpu.uuid":"GPU-0001"},"values":[42949672960,null,0]},
        {"metric":"gpu.temperature","attributes":{"gpu.uuid":"GPU-0001","gpu.temperature.sensor":"memory"},"values":[90,90,90]},
        {"metric":"gpu.utilization","attributes":{"gpu.uuid":"GPU-other"},"values":[1,1,1]}]})",
      *node);
  ASSERT_EQ(past.size(), 1U);
  History history;
  history.add(*node);
  history.add_before(past);
  EXPECT_EQ(history.line("GPU-0001", Measure::utilization, 985, 1, 10)[0], 0.25F);
  EXPECT_EQ(history.line("GPU-0001", Measure::memory, 985, 1, 10)[0], 0.5F);
  EXPECT_TRUE(std::isnan(history.line("GPU-0001", Measure::temperature, 985, 1, 10)[0]));
  EXPECT_EQ(history.line("GPU-0001", Measure::utilization, 1000, 1, 5)[0], 0.125F) << "as was seen";
}

TEST(TopHistory, TheActivityOfAnInstanceStandsForItsUtilization) {
  const auto node = parse_node(test::document({.gpus = 1, .instances = 2, .time = 1000}));
  const Past past = parse_past(
      R"({"times":[980],"series":[
        {"metric":"gpu.sm.active","attributes":{"gpu.uuid":"GPU-0000","gpu.mig.uuid":"MIG-0000-1"},"values":[0.1]},
        {"metric":"gpu.gr_engine.active","attributes":{"gpu.uuid":"GPU-0000","gpu.mig.uuid":"MIG-0000-1"},"values":[0.75]}]})",
      *node);
  History history;
  history.add(*node);
  history.add_before(past);
  EXPECT_EQ(history.line("MIG-0000-1", Measure::utilization, 985, 1, 10)[0], 0.75F);
  EXPECT_EQ(history.line("MIG-0000-1", Measure::utilization, 1000, 1, 10)[0], 0.125F);
}

TEST(TopHistory, BrokenHistoryIsNone) {
  const auto node = parse_node(test::document({}));
  EXPECT_TRUE(parse_past("nonsense", *node).empty());
  EXPECT_TRUE(parse_past(R"({"times":[3,1],"series":[]})", *node).empty());
}

TEST(TopAddress, MayBeWrittenShort) {
  const auto url = [](std::string_view text) {
    const auto address = parse_address(text);
    return address ? address->url : "refused";
  };
  EXPECT_EQ(url("a"), "http://a:9465");
  EXPECT_EQ(url("a:80"), "http://a:80");
  EXPECT_EQ(url("10.0.0.1"), "http://10.0.0.1:9465");
  EXPECT_EQ(url("::1"), "http://[::1]:9465");
  EXPECT_EQ(url("[::1]:7"), "http://[::1]:7");
  EXPECT_EQ(url("https://a/"), "https://a:9465");
  EXPECT_EQ(url("https://a:443/gpu/"), "https://a:443/gpu");
  for (const std::string_view bad :
       {"", "ftp://a", "a:", "a:port", "a b", "a/?x=1", "[::1", "user:pw@a", "http://"}) {
    EXPECT_EQ(url(bad), "refused") << bad;
  }
  EXPECT_EQ(parse_address("http://a:9465")->name, "a");
  EXPECT_EQ(parse_address("a:80")->name, "a:80");
}

TEST(TopAddress, NoPasswordIsQuoted) {
  EXPECT_THAT(describe(parse_address("http://u:geheim@a").error()), Not(HasSubstr("geheim")));
}

TEST(TopOnce, IsATableWithoutEscapes) {
  const auto node = parse_node(test::document({.simulated = true, .alerts = test::kAlerts}));
  const std::string text = once_text({*node}, 120, Charset::utf8);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("SIMULATED"));
  EXPECT_THAT(text, HasSubstr("ml/train-3/worker"));
  EXPECT_THAT(text, HasSubstr("4003"));
  EXPECT_THAT(text, HasSubstr("llama-3-8b"));
  EXPECT_THAT(text, HasSubstr("down: connection refused"));
  EXPECT_THAT(text, HasSubstr("GPU 0 is too hot"));
}

TEST(TopOnce, SaysThatThereIsNoGpu) {
  const auto node = parse_node(test::document({.gpus = 0, .engines = false}));
  EXPECT_THAT(once_text({*node}, 100, Charset::ascii), HasSubstr("no GPU was found"));
}

}  // namespace
}  // namespace warpsight::top

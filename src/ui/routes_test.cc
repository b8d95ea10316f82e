#include "ui/routes.h"

#include <event2/event.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "ui/http_test_client.h"

namespace warpsight {
namespace {

using test::HttpClient;
using test::HttpReply;
using ::testing::HasSubstr;
using ::testing::Not;

class FakeAgent final : public StatusProvider {
 public:
  identity::OwnersReport owners() const override { return {}; }
  AgentStatus status() const override { return status_; }
  Duration publish_interval() const override { return std::chrono::seconds{10}; }
  AgentStatus status_;
};

class RoutesTest : public ::testing::Test {
 protected:
  RoutesTest() {
    agent_.status_.version = "1.2.3";
    agent_.status_.host = "node<1>";
    agent_.status_.uptime = std::chrono::seconds{3723};
    agent_.status_.found = {"2 GPUs: NVIDIA H100"};
    agent_.status_.sources.push_back({.name = "nvml",
                                      .summary = "NVIDIA GPUs",
                                      .up = false,
                                      .last_error = "driver gone; load it"});
    agent_.status_.history = HistoryStatus{.up = true, .path = "/h", .bytes = 5};
    agent_.status_.sinks.push_back({.name = "file", .target = "/x", .up = true, .sent = 7});
  }
  ~RoutesTest() override { event_base_free(base_); }

  void publish() {
    Batch batch;
    batch.begin(clock_.now(), std::chrono::seconds{10});
    const EntityId gpu = entities_.intern(
        EntityKind::gpu, kNoEntity,
        {{"gpu.index", "0"}, {"gpu.uuid", "GPU-aa"}, {"gpu.model", "NVIDIA H100"}, {".pci", "p"}});
    const EntityId edge =
        entities_.intern(EntityKind::facet, gpu, {{"gpu.temperature.sensor", "edge"}});
    batch.add(Metric::gpu_utilization, gpu, 0.5);
    batch.add(Metric::gpu_temperature, edge, 61);
    batch.missing(Metric::gpu_fan_speed, gpu, Absence::unsupported, "Not Supported");
    batch.events.push_back({clock_.now(), "gpu.xid", Severity::error, gpu, "XID 79 <lost>", {}});
    registry_.apply(registry_.add_source("nvml"), batch, clock_.now());
    registry_.publish(clock_.now(), {});
  }

  HttpReply get(std::string_view path, std::string_view headers = {}) {
    AgentRoutes routes(clock_, registry_, entities_, agent_, page_ ? &*page_ : nullptr);
    auto server =
        HttpServer::start(base_, {SocketAddress::Kind::tcp, "127.0.0.1", 0, {}}, routes.table());
    HttpReply reply;
    std::atomic<bool> done = false;
    std::thread thread([&] {
      reply = HttpClient((*server)->address()).get(path, headers);
      done = true;
    });
    const timeval turn{0, 2000};
    while (!done) {
      event_base_loopexit(base_, &turn);
      event_base_dispatch(base_);
    }
    thread.join();
    server->reset();
    event_base_loop(base_, EVLOOP_NONBLOCK);
    return reply;
  }

  event_base* base_ = event_base_new();
  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  FakeAgent agent_;
  std::optional<PrometheusPage> page_{std::in_place, entities_, std::span<const Attribute>{},
                                      Options::defaults(prometheus_page_options())};
};

TEST_F(RoutesTest, BeforeTheFirstPublishTheAgentIsAliveButNotReady) {
  EXPECT_EQ(get("/healthz").status, 200);
  const HttpReply ready = get("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("Nothing was published yet"));
  EXPECT_EQ(get("/metrics").status, 503);
  EXPECT_THAT(get("/api/v1/status").body, HasSubstr("\"publish\":null"));
}

TEST_F(RoutesTest, MetricsComeInTheFormatAskedFor) {
  publish();
  EXPECT_EQ(get("/readyz").status, 200);
  const HttpReply classic = get("/metrics");
  EXPECT_EQ(classic.status, 200);
  EXPECT_TRUE(classic.has("Content-Type: text/plain; version=0.0.4; charset=utf-8"));
  EXPECT_THAT(classic.body, HasSubstr("\ngpu_utilization_ratio{"));
  const HttpReply open = get("/metrics", "Accept: application/openmetrics-text; version=1.0.0\r\n");
  EXPECT_TRUE(open.has("Content-Type: application/openmetrics-text; version=1.0.0"));
  EXPECT_THAT(open.body, ::testing::EndsWith("# EOF\n"));
}

TEST_F(RoutesTest, ASnapshotThatIsHistoryIsNotToldAsThePresent) {
  publish();
  clock_.advance(std::chrono::seconds{40});
  const HttpReply reply = get("/metrics");
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr("40 s ago"));
  EXPECT_EQ(get("/readyz").status, 503);
  EXPECT_EQ(get("/healthz").status, 200);
}

TEST_F(RoutesTest, APageThatIsSwitchedOffSaysSo) {
  publish();
  page_.reset();
  const HttpReply reply = get("/metrics");
  EXPECT_EQ(reply.status, 404);
  EXPECT_THAT(reply.body, HasSubstr("switched off"));
}

TEST_F(RoutesTest, ASimulationCannotBeOverlooked) {
  agent_.status_.scenario = "8xh100";
  publish();
  EXPECT_THAT(get("/api/v1/status").body, HasSubstr("\"simulated\":true,\"scenario\":\"8xh100\""));
}

TEST_F(RoutesTest, TheStatusApiTellsWhatIsThereAndWhatIsNot) {
  publish();
  const HttpReply reply = get("/api/v1/status");
  EXPECT_TRUE(reply.has("Content-Type: application/json"));
  for (const char* text :
       {R"("version":"1.2.3")", R"("simulated":false)", R"("uptime_seconds":3723)",
        R"({"name":"nvml","summary":"NVIDIA GPUs","enabled":true,"up":false)",
        R"("history":{"enabled":true,"up":true,"path":"/h","bytes":5,)",
        R"("sinks":[{"name":"file","target":"/x","up":true,"sent":7)",
        R"("devices":[{"kind":"gpu","attributes":{"gpu.index":"0","gpu.uuid":"GPU-aa",)",
        R"("values":{"gpu.utilization":0.5,"gpu.temperature":61})", R"("series_limit":0)",
        R"({"metric":"gpu.fan.speed","why":"unsupported","detail":"Not Supported")",
        R"("event":"gpu.xid","severity":"error","message":"XID 79 <lost>")"}) {
    EXPECT_THAT(reply.body, HasSubstr(text));
  }
  EXPECT_THAT(reply.body, Not(HasSubstr(".pci")));
}

}  // namespace
}  // namespace warpsight

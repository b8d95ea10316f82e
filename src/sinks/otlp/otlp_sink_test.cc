#include "sinks/otlp/otlp_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <otlp_logs.pb.h>
#include <otlp_metrics.pb.h>

#include "core/registry.h"
#include "core/version.h"
#include "sinks/otlp/clients_for_test.h"
#include "wire/compression.h"

namespace warpsight {
namespace {

using otlp::testing::Peer;
using otlp::testing::Sent;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace oracle = ::oracle::otlp;

constexpr uint8_t kMetrics = 1;
constexpr uint8_t kLogs = 2;

class OtlpSinkTest : public ::testing::Test {
 protected:
  void set(std::string_view name, std::string_view value) {
    ASSERT_TRUE(options_.set(name, value)) << name;
  }
  Sink& sink() {
    if (!sink_) {
      auto made = make_otlp_sink({clock_, entities_, options_, resource_, {}}, factory_of(peer_));
      EXPECT_TRUE(made) << describe(made.error());
      sink_ = std::move(*made);
    }
    return *sink_;
  }

  void publish(bool event = false) {
    batch_.begin(clock_.now(), std::chrono::seconds{10});
    for (const EntityId gpu : gpus_) batch_.add(Metric::gpu_power_draw, gpu, ++value_);
    if (event)
      batch_.events.push_back({clock_.now(), "gpu.xid", Severity::error, gpus_[0], "m", {}});
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
    clock_.advance(std::chrono::seconds{10});
  }
  std::vector<Message> encoded() {
    Outbox out;
    registry_.read([&](const Snapshot& snapshot) { sink().encode(snapshot, out); });
    return {out.messages().begin(), out.messages().end()};
  }
  Message metrics_message() {
    publish();
    return encoded().at(0);
  }
  static oracle::MetricsRequest parsed(const std::string& bytes) {
    oracle::MetricsRequest request;
    EXPECT_TRUE(request.ParseFromString(bytes));
    return request;
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  std::vector<EntityId> gpus_ = {
      entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}})};
  std::vector<Attribute> resource_ = {{"host.name", "n1"}};
  double value_ = 0;
  Batch batch_;
  Options options_ = Options::defaults(otlp_sink_options());
  Peer peer_;
  std::unique_ptr<Sink> sink_;
};

TEST_F(OtlpSinkTest, MetricsAndEventsAreMessagesOfTheirOwn) {
  publish(true);
  const std::vector<Message> messages = encoded();
  ASSERT_THAT(messages, SizeIs(2));
  EXPECT_EQ(messages[0].kind, kMetrics);
  EXPECT_EQ(messages[0].points, 1U);
  const auto request = parsed(messages[0].bytes);
  EXPECT_EQ(request.resource_metrics(0).scope_metrics(0).scope().version(), kVersion);
  EXPECT_EQ(messages[1].kind, kLogs);
  EXPECT_EQ(messages[1].points, 1U);
  oracle::LogsRequest logs;
  ASSERT_TRUE(logs.ParseFromString(messages[1].bytes));
  EXPECT_EQ(logs.resource_logs(0).scope_logs(0).log_records(0).event_name(), "gpu.xid");
  publish();
  EXPECT_THAT(encoded(), SizeIs(1)) << "nothing happened";
}

TEST_F(OtlpSinkTest, EventsMayStayAtHome) {
  set("logs", "false");
  publish(true);
  EXPECT_THAT(encoded(), SizeIs(1));
}

TEST_F(OtlpSinkTest, MetricsGoNoMoreOftenThanTheIntervalButEventsDo) {
  set("interval", "30s");
  publish(true);
  EXPECT_THAT(encoded(), SizeIs(2));
  publish(true);
  const auto between = encoded();
  ASSERT_THAT(between, SizeIs(1));
  EXPECT_EQ(between[0].kind, kLogs);
  publish();
  EXPECT_THAT(encoded(), IsEmpty());
  publish();
  EXPECT_THAT(encoded(), SizeIs(1));
}

TEST_F(OtlpSinkTest, HttpSendsCompressedProtobufToTheSignalsPath) {
  set("endpoint", "https://collector/base/");
  set("headers", "X-Scope=tenant");
  publish(true);
  for (const Message& message : encoded()) {
    EXPECT_EQ(sink().deliver(message).outcome, Delivery::Outcome::accepted);
  }
  ASSERT_THAT(peer_.sent, SizeIs(2));
  EXPECT_EQ(peer_.http_made, 1);
  const Sent& metrics = peer_.sent[0];
  EXPECT_EQ(metrics.where, "https://collector/base/v1/metrics");
  EXPECT_EQ(peer_.sent[1].where, "https://collector/base/v1/logs");
  EXPECT_EQ(metrics.header("content-type"), "application/x-protobuf");
  EXPECT_EQ(metrics.header("content-encoding"), "gzip");
  EXPECT_EQ(metrics.header("x-scope"), "tenant");
  const auto body = decompress(Compression::gzip, metrics.body, 1 << 20);
  ASSERT_TRUE(body);
  EXPECT_EQ(parsed(*body).resource_metrics_size(), 1);
  EXPECT_EQ(sink().peer(), "https://collector/base/v1/metrics");
}

TEST_F(OtlpSinkTest, JsonIsMadeOfTheSameMessageWhenSent) {
  set("protocol", "http/json");
  set("compression", "none");
  peer_.http = [](const Sent&) {
    return HttpReply{.status = 200,
                     .body = R"({"partialSuccess":{"rejectedDataPoints":"1","errorMessage":"no"}})",
                     .headers = {{"content-type", "application/json"}}};
  };
  const Delivery delivery = sink().deliver(metrics_message());
  EXPECT_EQ(delivery.outcome, Delivery::Outcome::accepted);
  EXPECT_EQ(delivery.rejected, 1U);
  EXPECT_EQ(delivery.words, "no");
  ASSERT_THAT(peer_.sent, SizeIs(1));
  EXPECT_EQ(peer_.sent[0].where, "http://localhost:4318/v1/metrics");
  EXPECT_EQ(peer_.sent[0].header("content-type"), "application/json");
  EXPECT_EQ(peer_.sent[0].header("content-encoding"), "");
  EXPECT_THAT(peer_.sent[0].body, HasSubstr(R"({"resourceMetrics":[{"resource":{)"));
  EXPECT_EQ(sink().deliver({.kind = kMetrics, .points = 1, .bytes = "damaged"}).outcome,
            Delivery::Outcome::refused);
}

TEST_F(OtlpSinkTest, GrpcCallsTheServiceOfTheSignal) {
  set("protocol", "grpc");
  set("compression", "zstd");
  set("auth.bearer", "token");
  publish(true);
  for (const Message& message : encoded()) {
    EXPECT_EQ(sink().deliver(message).outcome, Delivery::Outcome::accepted);
  }
  ASSERT_THAT(peer_.sent, SizeIs(2));
  EXPECT_EQ(peer_.sent[0].where, "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export");
  EXPECT_EQ(peer_.sent[1].where, "/opentelemetry.proto.collector.logs.v1.LogsService/Export");
  EXPECT_EQ(peer_.sent[0].header("authorization"), "Bearer token");
  EXPECT_EQ(peer_.encodings[0], GrpcEncoding::zstd);
  ASSERT_THAT(peer_.grpc_made, SizeIs(1)) << "one connection serves both";
  EXPECT_EQ(to_string(peer_.grpc_made[0].address), "localhost:4317");
  EXPECT_FALSE(peer_.grpc_made[0].use_tls);
}

TEST_F(OtlpSinkTest, LogsMayGoElsewhere) {
  set("protocol", "grpc");
  set("endpoint", "https://metrics");
  set("logs_endpoint", "unix:/run/logs.sock");
  publish(true);
  for (const Message& message : encoded()) sink().deliver(message);
  ASSERT_THAT(peer_.grpc_made, SizeIs(2));
  EXPECT_TRUE(peer_.grpc_made[0].use_tls);
  EXPECT_EQ(to_string(peer_.grpc_made[0].address), "metrics:4317");
  EXPECT_EQ(to_string(peer_.grpc_made[1].address), "unix:/run/logs.sock");
}

TEST_F(OtlpSinkTest, AnAnswerOfGarbageIsAWarning) {
  peer_.http = [](const Sent&) {
    return HttpReply{.status = 200, .body = "<html>", .headers = {}};
  };
  const Delivery delivery = sink().deliver(metrics_message());
  EXPECT_EQ(delivery.outcome, Delivery::Outcome::accepted);
  EXPECT_EQ(delivery.reason, "bad_response");
  EXPECT_THAT(delivery.words, HasSubstr("endpoint"));
}

TEST_F(OtlpSinkTest, RefusalsAndFailuresAreTold) {
  const Message message = metrics_message();
  peer_.http = [](const Sent&) { return HttpReply{.status = 503, .body = {}, .headers = {}}; };
  EXPECT_EQ(sink().deliver(message).outcome, Delivery::Outcome::retry);
  peer_.http = [](const Sent&) { return HttpReply{.status = 400, .body = {}, .headers = {}}; };
  EXPECT_EQ(sink().deliver(message).outcome, Delivery::Outcome::refused);
  peer_.http = [](const Sent&) -> TransportResult<HttpReply> {
    return tl::unexpected(TransportFailure{TransportFailure::Kind::timeout, "too slow"});
  };
  EXPECT_EQ(sink().deliver(message).reason, "timeout");
  EXPECT_EQ(sink().deliver({.kind = 77, .points = 1, .bytes = {}}).outcome,
            Delivery::Outcome::refused);
}

TEST_F(OtlpSinkTest, AClientThatCannotBeMadeIsTriedAgain) {
  otlp::ClientFactory factory = factory_of(peer_);
  int tries = 0;
  factory.http =
      [&, make = factory.http](
          const HttpClientSettings& settings) -> TransportResult<std::unique_ptr<HttpClient>> {
    if (++tries > 1) return make(settings);
    return tl::unexpected(TransportFailure{TransportFailure::Kind::setup, "no libcurl"});
  };
  sink_ = std::move(*make_otlp_sink({clock_, entities_, options_, {}, {}}, factory));
  EXPECT_EQ(tries, 0) << "not before it is needed";
  const Message message = metrics_message();
  const Delivery failed = sink().deliver(message);
  EXPECT_EQ(failed.outcome, Delivery::Outcome::retry);
  EXPECT_THAT(failed.words, HasSubstr("no libcurl"));
  EXPECT_EQ(sink().deliver(message).outcome, Delivery::Outcome::accepted);
}

TEST_F(OtlpSinkTest, AnInterruptReachesAClientThatIsMadeLater) {
  sink().interrupt();
  EXPECT_EQ(peer_.interrupts, 0);
  sink().deliver(metrics_message());
  EXPECT_EQ(peer_.interrupts, 1);
  sink().interrupt();
  EXPECT_EQ(peer_.interrupts, 2);
}

// A peer like Prometheus: one bad sample, and nothing of the request is taken.
class TooOldTest : public OtlpSinkTest {
 protected:
  TooOldTest() {
    EXPECT_TRUE(options_.set("compression", "none"));
    for (int i = 1; i < kGpus; ++i) {
      gpus_.push_back(
          entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", std::to_string(i)}}));
    }
    peer_.http = [this](const Sent& sent) {
      std::vector<double> values;
      const oracle::MetricsRequest request = parsed(sent.body);
      for (const auto& metric : request.resource_metrics(0).scope_metrics(0).metrics()) {
        for (const auto& point : metric.gauge().data_points()) values.push_back(point.as_double());
      }
      if (std::ranges::any_of(values, is_bad_)) {
        return HttpReply{.status = 400, .body = "sample Out-Of-Order for x", .headers = {}};
      }
      taken_.insert(taken_.end(), values.begin(), values.end());
      return HttpReply{.status = 200, .body = {}, .headers = {}};
    };
  }

  static constexpr int kGpus = 100;
  std::function<bool(double)> is_bad_;
  std::vector<double> taken_;
};

TEST_F(TooOldTest, OnlyWhatIsRefusedIsLost) {
  is_bad_ = [](double value) { return value == 3 || value == 50 || value == 51; };
  const Delivery delivery = sink().deliver(metrics_message());
  EXPECT_EQ(delivery.outcome, Delivery::Outcome::accepted);
  EXPECT_EQ(delivery.too_old, 3U);
  EXPECT_EQ(delivery.reason, "too_old");
  EXPECT_THAT(delivery.words, HasSubstr("Out-Of-Order"));
  std::ranges::sort(taken_);
  EXPECT_THAT(taken_, SizeIs(kGpus - 3));
  EXPECT_EQ(std::ranges::adjacent_find(taken_), taken_.end()) << "sent twice";
}

TEST_F(TooOldTest, APeerThatRefusesAllIsNotAskedForEver) {
  is_bad_ = [](double) { return true; };
  const Delivery delivery = sink().deliver(metrics_message());
  EXPECT_EQ(delivery.outcome, Delivery::Outcome::accepted);
  EXPECT_EQ(delivery.too_old, uint64_t{kGpus});
  EXPECT_LT(peer_.sent.size(), 40U);
}

TEST_F(TooOldTest, APeerThatFailsMeanwhileGetsAllOfItLater) {
  is_bad_ = [](double value) { return value == 50; };
  const Message message = metrics_message();
  const auto answer = peer_.http;
  peer_.http = [&](const Sent& sent) -> TransportResult<HttpReply> {
    if (peer_.sent.size() > 3) return HttpReply{.status = 503, .body = {}, .headers = {}};
    return answer(sent);
  };
  EXPECT_EQ(sink().deliver(message).outcome, Delivery::Outcome::retry);
}

}  // namespace
}  // namespace warpsight

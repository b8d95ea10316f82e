// A real Prometheus as the receiver.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "net/http_client.h"
#include "platform/child.h"
#include "platform/fd.h"
#include "platform/test_dir.h"
#include "sinks/remote_write/remote_write_sink.h"
#include "wire/compression.h"
#include "wire/remote_write/request.h"
#include "wire/remote_write/request_for_test.h"

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kPrometheus = "/usr/bin/prometheus";
constexpr std::chrono::seconds kPatience{60};

uint16_t free_port() {
  const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener.get(), generic, size), 0);
  EXPECT_EQ(::getsockname(listener.get(), generic, &size), 0);
  return ntohs(address.sin_port);
}

class PrometheusServer {
 public:
  // Waits for the server's own word that it is ready.
  bool start() {
    const std::string config = dir_.write("prometheus.yml", "global: {}\n");
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    log_ = Fd(ends[0]);
    const Fd log_writer(ends[1]);
    const std::string address = "127.0.0.1:" + std::to_string(free_port());
    url_ = "http://" + address;
    auto child = Child::spawn(
        {.argv = {kPrometheus, "--config.file=" + config,
                  "--storage.tsdb.path=" + dir_.path() + "/data", "--web.listen-address=" + address,
                  "--web.enable-remote-write-receiver"},
         .fds = {{log_writer.get(), 2}}});
    if (!child) return false;
    child_ = std::move(*child);
    auto client = HttpClient::make({});
    if (!client) return false;
    client_ = std::move(*client);
    return said("ready to receive web requests");
  }

  std::string write_url() const { return url_ + "/api/v1/write"; }
  HttpClient& client() { return *client_; }
  const std::string& log() const { return text_; }

  // The values an instant query at `ms` yields.
  std::vector<std::string> query(const std::string& expression, int64_t ms) {
    std::string escaped;
    for (const char c : expression) {
      char text[4];
      std::snprintf(text, sizeof text, "%%%02X", static_cast<unsigned>(c));
      escaped += text;
    }
    const auto reply = client_->get(url_ + "/api/v1/query?query=" + escaped +
                                        "&time=" + std::to_string(ms / 1000) + "." +
                                        std::to_string(ms % 1000 + 1000).substr(1),
                                    {});
    std::vector<std::string> values;
    if (!reply || reply->status != 200) {
      ADD_FAILURE() << expression << ": " << (reply ? reply->body : reply.error().message);
      return values;
    }
    // "value":[1700000000.5,"70"]
    const std::string& body = reply->body;
    for (size_t at = body.find("\"value\":["); at != std::string::npos;
         at = body.find("\"value\":[", at + 1)) {
      const size_t begin = body.find(",\"", at) + 2;
      values.push_back(body.substr(begin, body.find('"', begin) - begin));
    }
    return values;
  }

 private:
  bool said(std::string_view words) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (text_.find(words) == std::string::npos) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd readable{log_.get(), POLLIN, 0};
      if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) <= 0) {
        return false;
      }
      char chunk[4096];
      const ssize_t n = ::read(log_.get(), chunk, sizeof chunk);
      if (n <= 0) return false;
      text_.append(chunk, static_cast<size_t>(n));
    }
    return true;
  }

  TestDir dir_;
  Fd log_;
  std::string text_;
  std::string url_;
  std::unique_ptr<HttpClient> client_;
  Child child_;
};

class RemoteWriteToPrometheus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access(kPrometheus, X_OK) != 0) {
      GTEST_SKIP() << "no " << kPrometheus << ": apt-get install prometheus";
    }
    ASSERT_TRUE(server_.start()) << server_.log();
    ASSERT_TRUE(options_.set("url", server_.write_url()));
    auto sink = make_remote_write_sink({clock_, entities_, options_, resource_});
    ASSERT_TRUE(sink) << describe(sink.error());
    sink_ = std::move(*sink);
  }

  void begin() { batch_.begin(clock_.now(), std::chrono::seconds{1}); }

  // Publishes what is in the batch; returns how many points were sent.
  uint32_t publish() {
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
    Outbox outbox;
    registry_.read([&](const Snapshot& snapshot) { sink_->encode(snapshot, outbox); });
    uint32_t points = 0;
    for (const Message& message : outbox.messages()) {
      points += message.points;
      deliver(message);
    }
    begin();
    return points;
  }

  Delivery deliver(const Message& message) {
    Delivery delivery = sink_->deliver(message);
    EXPECT_EQ(delivery.outcome, Delivery::Outcome::accepted) << delivery.words;
    return delivery;
  }

  int64_t now_ms() const {
    return std::chrono::floor<std::chrono::milliseconds>(clock_.now().time_since_epoch()).count();
  }

  // m0 to m9, each with the value and the time that `sample_of` says.
  static Message ten(const std::function<RemoteSample(int)>& sample_of) {
    test::RequestBuilder builder;
    for (int i = 0; i < 10; ++i) {
      builder.add({{"__name__", "m" + std::to_string(i)}}, sample_of(i));
    }
    return {0, 10, builder.bytes()};
  }

  ManualClock clock_{SystemClock().now()};
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  EntityId gpu_ = entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}});
  Batch batch_;
  Options options_ = Options::defaults(remote_write_sink_options());
  std::vector<Attribute> resource_ = {{"host.name", "node1"}};
  PrometheusServer server_;
  std::unique_ptr<Sink> sink_;
};

TEST_F(RemoteWriteToPrometheus, ValuesReadBackAreThoseSent) {
  begin();
  batch_.add(Metric::gpu_power_draw, gpu_, 0.1 + 0.2);
  batch_.add(Metric::gpu_busy_time, gpu_, 123456789.125);
  batch_.add_histogram(Metric::warpsight_sink_duration, gpu_, std::vector{0.5, 1.0},
                       std::vector<uint64_t>{3, 2, 1}, 4.5);
  const uint32_t points = publish();
  const int64_t now = now_ms();
  EXPECT_THAT(server_.query(R"(count({job="warpsight",instance="node1"}))", now),
              ElementsAre(std::to_string(points)));
  EXPECT_THAT(server_.query(R"(gpu_power_draw_watts{gpu_index="0",host_name="node1"})", now),
              ElementsAre("0.30000000000000004"));
  EXPECT_THAT(server_.query("gpu_busy_time_seconds_total", now), ElementsAre("123456789.125"));
  EXPECT_THAT(server_.query(R"(warpsight_sink_duration_seconds_bucket{le="1.0"})", now),
              ElementsAre("5"));
  EXPECT_THAT(server_.query("histogram_quantile(0.5, warpsight_sink_duration_seconds_bucket)", now),
              ElementsAre("0.5"));
  EXPECT_THAT(server_.query("target_info", now), ElementsAre("1"));
}

TEST_F(RemoteWriteToPrometheus, ASeriesThatEndedIsNoLongerFound) {
  begin();
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  publish();
  EXPECT_THAT(server_.query("gpu_power_draw_watts", now_ms()), ElementsAre("70"));
  clock_.advance(std::chrono::seconds{10});
  begin();
  publish();
  EXPECT_THAT(server_.query("gpu_power_draw_watts", now_ms()), IsEmpty());
  EXPECT_THAT(server_.query("gpu_power_draw_watts", now_ms() - 1), ElementsAre("70"));
  clock_.advance(std::chrono::seconds{10});
  begin();
  batch_.add(Metric::gpu_power_draw, gpu_, 71);
  publish();
  EXPECT_THAT(server_.query("gpu_power_draw_watts", now_ms()), ElementsAre("71"));
}

TEST_F(RemoteWriteToPrometheus, PointsOutOfOrderCostThemselvesAlone) {
  const int64_t now = now_ms();
  deliver(ten([&](int i) { return RemoteSample{100.0 + i, now}; }));
  const Message late = ten(
      [&](int i) { return RemoteSample{200.0 + i, i == 3 || i == 7 ? now - 1000 : now + 1000}; });

  // Sent whole, none of them would be written.
  RemoteWriteRequest request;
  ASSERT_TRUE(request.read(late.bytes));
  const std::array<uint32_t, 10> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::string body;
  request.write_v1(all, false, body);
  const auto whole = server_.client().post(
      server_.write_url(),
      {{"Content-Encoding", "snappy"}, {"Content-Type", "application/x-protobuf"}},
      Compressor(Compression::snappy).encode(body).value());
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->status, 400);
  EXPECT_THAT(whole->body, HasSubstr("out of order sample"));
  EXPECT_THAT(server_.query("m0", now + 1000), ElementsAre("100"));

  EXPECT_EQ(deliver(late).too_old, 2U);
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(server_.query("m" + std::to_string(i), now + 1000),
                ElementsAre(std::to_string(i == 3 || i == 7 ? 100 + i : 200 + i)));
  }
}

TEST_F(RemoteWriteToPrometheus, OldPointsCostThemselvesAlone) {
  const int64_t now = now_ms();
  const int64_t hour = 3'600'000;
  deliver({0, 1, test::RequestBuilder().add({{"__name__", "up"}}, {1, now}).bytes()});
  const Message mixed =
      ten([&](int i) { return RemoteSample{1.0 * i, i < 4 ? now - 5 * hour - i : now - i}; });
  EXPECT_EQ(deliver(mixed).too_old, 4U);
  EXPECT_THAT(server_.query(R"(count({__name__=~"m.*"}))", now), ElementsAre("6"));
  const Message old = ten([&](int i) { return RemoteSample{1.0 * i, now - 9 * hour + i}; });
  EXPECT_EQ(deliver(old).too_old, 10U);
}

TEST_F(RemoteWriteToPrometheus, TheSameMessageTwiceIsNoError) {
  const int64_t now = now_ms();
  const Message message = ten([&](int i) { return RemoteSample{1.0 * i, now}; });
  deliver(message);
  EXPECT_EQ(deliver(message).too_old, 0U);
}

}  // namespace
}  // namespace warpsight

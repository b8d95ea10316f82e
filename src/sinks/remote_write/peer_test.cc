#include "sinks/remote_write/peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "remote_write_v1.pb.h"
#include "remote_write_v2.pb.h"
#include "runtime/log.h"
#include "sinks/remote_write/remote_write_sink.h"
#include "wire/remote_write/request_for_test.h"

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Outcome = Delivery::Outcome;

constexpr size_t kLimit = 1 << 26;

struct Point {
  std::string name;
  int64_t time;
  double value;
  friend auto operator<=>(const Point&, const Point&) = default;
};

struct Received {
  std::map<std::string, std::string> headers;
  bool v2 = false;
  std::vector<Point> points;
  int metadata = 0;
};

Received receive(const HttpHeaders& headers, std::string_view body) {
  Received received;
  received.headers.insert(headers.begin(), headers.end());
  const auto bytes = decompress(Compression::snappy, body, kLimit);
  EXPECT_TRUE(bytes);
  if (!bytes) return received;
  received.v2 = received.headers["Content-Type"].ends_with("v2.Request");
  if (received.v2) {
    oracle::rw2::Request request;
    EXPECT_TRUE(request.ParseFromString(*bytes));
    for (const auto& series : request.timeseries()) {
      received.points.push_back({request.symbols(static_cast<int>(series.labels_refs(1))),
                                 series.samples(0).timestamp(), series.samples(0).value()});
    }
    return received;
  }
  oracle::rw1::WriteRequest request;
  EXPECT_TRUE(request.ParseFromString(*bytes));
  received.metadata = request.metadata_size();
  for (const auto& series : request.timeseries()) {
    received.points.push_back(
        {series.labels(0).value(), series.samples(0).timestamp(), series.samples(0).value()});
  }
  return received;
}

HttpReply answer(int status, std::string body = {}) { return {status, std::move(body), {}}; }
HttpReply wrote(int status, size_t count, std::string body = {}) {
  return {status,
          std::move(body),
          {{"x-prometheus-remote-write-samples-written", std::to_string(count)}}};
}

// A receiver whose behaviour a test writes down.
class FakeReceiver {
 public:
  using Script = std::function<TransportResult<HttpReply>(const Received&)>;
  Script script;
  std::vector<Received> requests;
  bool interrupted = false;

  std::unique_ptr<HttpClient> client() { return std::make_unique<Client>(*this); }

 private:
  class Client final : public HttpClient {
   public:
    explicit Client(FakeReceiver& owner) : owner_(owner) {}
    TransportResult<HttpReply> post(const std::string& url, const HttpHeaders& headers,
                                    std::string_view body) override {
      EXPECT_EQ(url, "http://peer/write?key=k");
      owner_.requests.push_back(receive(headers, body));
      return owner_.script(owner_.requests.back());
    }
    TransportResult<HttpReply> get(const std::string&, const HttpHeaders&) override {
      return HttpReply{};
    }
    void interrupt() override { owner_.interrupted = true; }

   private:
    FakeReceiver& owner_;
  };
};

// Writes all of a request or, when one point is not to its taste, nothing.
struct AllOrNothing {
  std::function<std::string(const Point&)> refuse;  // why; empty: it is taken
  std::set<Point> written = {};

  HttpReply operator()(const Received& request) {
    for (const Point& point : request.points) {
      if (std::string why = refuse(point); !why.empty()) return answer(400, std::move(why));
    }
    written.insert(request.points.begin(), request.points.end());
    return answer(204);
  }
};

class RemoteWritePeerTest : public ::testing::Test {
 protected:
  RemoteWritePeerTest() { EXPECT_TRUE(options_.set("url", "http://peer/write?key=k")); }

  Delivery deliver(const Message& message) {
    if (!sink_) {
      auto made = make_remote_write_sink({clock_, entities_, options_, {}}, receiver_.client());
      EXPECT_TRUE(made);
      sink_ = std::move(*made);
    }
    return sink_->deliver(message);
  }

  static Message message(const std::vector<int64_t>& times) {
    test::RequestBuilder builder;
    for (size_t i = 0; i < times.size(); ++i) {
      builder.add({{"__name__", "m" + std::to_string(i)}}, {static_cast<double>(i), times[i]});
    }
    return {0, static_cast<uint32_t>(times.size()), builder.bytes()};
  }

  // How it is without anything to fall back from.
  void speak_v1() { ASSERT_TRUE(options_.set("version", "1.0")); }

  ManualClock clock_;
  EntityTable entities_;
  Options options_ = Options::defaults(remote_write_sink_options());
  FakeReceiver receiver_;
  std::unique_ptr<Sink> sink_;
};

TEST_F(RemoteWritePeerTest, SpeaksVersionTwo) {
  receiver_.script = [](const Received& r) { return wrote(204, r.points.size()); };
  const Delivery delivery = deliver(message({5, 6}));
  EXPECT_EQ(delivery.outcome, Outcome::accepted);
  EXPECT_EQ(delivery.rejected, 0U);
  EXPECT_EQ(delivery.reason, "");
  ASSERT_THAT(receiver_.requests, SizeIs(1));
  Received& request = receiver_.requests[0];
  EXPECT_EQ(request.headers["Content-Type"],
            "application/x-protobuf;proto=io.prometheus.write.v2.Request");
  EXPECT_EQ(request.headers["Content-Encoding"], "snappy");
  EXPECT_EQ(request.headers["X-Prometheus-Remote-Write-Version"], "2.0.0");
  EXPECT_THAT(request.points, ElementsAre(Point{"m0", 5, 0}, Point{"m1", 6, 1}));
}

TEST_F(RemoteWritePeerTest, PeersAreNamedWithoutTheirKeys) {
  receiver_.script = [](const Received&) { return answer(204); };
  deliver(message({1}));
  EXPECT_EQ(sink_->peer(), "http://peer/write");
}

TEST_F(RemoteWritePeerTest, AReceiverThatDoesNotKnowTheTypeIsSpokenToInVersionOne) {
  receiver_.script = [](const Received& r) { return answer(r.v2 ? 415 : 204); };
  const LogCapture log;
  EXPECT_EQ(deliver(message({5})).outcome, Outcome::accepted);
  EXPECT_EQ(deliver(message({6})).outcome, Outcome::accepted);
  ASSERT_THAT(receiver_.requests, SizeIs(3)) << "one in vain, and never again";
  Received& second = receiver_.requests[1];
  EXPECT_EQ(second.headers["Content-Type"], "application/x-protobuf");
  EXPECT_EQ(second.headers["X-Prometheus-Remote-Write-Version"], "0.1.0");
  EXPECT_THAT(second.points, ElementsAre(Point{"m0", 5, 0}));
  EXPECT_THAT(log.lines(), SizeIs(1));
}

TEST_F(RemoteWritePeerTest, AReceiverThatDoesNotSayWhatItWroteHasWrittenNothing) {
  receiver_.script = [](const Received&) { return answer(204); };
  EXPECT_EQ(deliver(message({5})).outcome, Outcome::accepted);
  ASSERT_THAT(receiver_.requests, SizeIs(2));
  EXPECT_TRUE(receiver_.requests[0].v2);
  EXPECT_FALSE(receiver_.requests[1].v2);
  EXPECT_EQ(receiver_.requests[1].points, receiver_.requests[0].points);
}

TEST_F(RemoteWritePeerTest, AFirstRefusalMayBeOfTheVersion) {
  receiver_.script = [](const Received& r) { return r.v2 ? answer(400, "bad") : answer(200); };
  EXPECT_EQ(deliver(message({5})).outcome, Outcome::accepted);
  deliver(message({6}));
  EXPECT_THAT(receiver_.requests, SizeIs(3));
}

TEST_F(RemoteWritePeerTest, ARefusalOfBothVersionsIsOfTheMessage) {
  receiver_.script = [](const Received& r) { return answer(400, r.v2 ? "bad two" : "bad one"); };
  const Delivery delivery = deliver(message({5}));
  EXPECT_EQ(delivery.outcome, Outcome::refused);
  EXPECT_THAT(delivery.words, HasSubstr("bad two"));
  receiver_.script = [](const Received& r) { return wrote(204, r.points.size()); };
  deliver(message({6}));
  EXPECT_TRUE(receiver_.requests.back().v2);
}

TEST_F(RemoteWritePeerTest, AConfiguredVersionIsKept) {
  ASSERT_TRUE(options_.set("version", "2.0"));
  receiver_.script = [](const Received&) { return answer(204); };
  const Delivery delivery = deliver(message({5}));
  EXPECT_EQ(delivery.outcome, Outcome::refused) << "nothing was written";
  EXPECT_THAT(delivery.words, HasSubstr("set version"));
  EXPECT_THAT(receiver_.requests, SizeIs(1));
}

TEST_F(RemoteWritePeerTest, PointsThatWereNotWrittenAreCounted) {
  receiver_.script = [](const Received&) { return wrote(200, 3); };
  const Delivery delivery = deliver(message({1, 2, 3, 4, 5}));
  EXPECT_EQ(delivery.outcome, Outcome::accepted);
  EXPECT_EQ(delivery.rejected, 2U);
  EXPECT_EQ(delivery.reason, "rejected");
}

TEST_F(RemoteWritePeerTest, AReceiverOfVersionTwoHasWrittenTheOthersAlready) {
  receiver_.script = [](const Received&) { return wrote(400, 3, "out of order sample"); };
  const Delivery late = deliver(message({1, 2, 3, 4, 5}));
  EXPECT_EQ(late.outcome, Outcome::accepted);
  EXPECT_EQ(late.too_old, 2U);
  EXPECT_EQ(late.reason, "too_old");
  receiver_.script = [](const Received&) { return wrote(400, 3, "invalid label"); };
  const Delivery bad = deliver(message({1, 2, 3, 4, 5}));
  EXPECT_EQ(bad.outcome, Outcome::accepted);
  EXPECT_EQ(bad.rejected, 2U);
  receiver_.script = [](const Received&) { return wrote(400, 0, "invalid label"); };
  EXPECT_EQ(deliver(message({1, 2, 3, 4, 5})).outcome, Outcome::refused);
  EXPECT_THAT(receiver_.requests, SizeIs(3));
}

TEST_F(RemoteWritePeerTest, FailuresAreTriedAgainLater) {
  speak_v1();
  for (const int status : {500, 503, 429}) {
    receiver_.script = [&](const Received&) { return answer(status); };
    EXPECT_EQ(deliver(message({1})).outcome, Outcome::retry) << status;
  }
  receiver_.script = [](const Received&) -> TransportResult<HttpReply> {
    return tl::unexpected(TransportFailure{TransportFailure::Kind::connect, "nobody there"});
  };
  const Delivery delivery = deliver(message({1}));
  EXPECT_EQ(delivery.outcome, Outcome::retry);
  EXPECT_THAT(delivery.words, HasSubstr("nobody there"));
  receiver_.script = [](const Received&) { return answer(401); };
  EXPECT_EQ(deliver(message({1})).outcome, Outcome::unauthorized);
  receiver_.script = [](const Received&) { return answer(404); };
  EXPECT_EQ(deliver(message({1})).outcome, Outcome::refused);
}

TEST_F(RemoteWritePeerTest, AMessageThatIsTooOldCostsTwoRequests) {
  speak_v1();
  receiver_.script = [](const Received&) { return answer(400, "out of bounds"); };
  const Delivery delivery = deliver(message({3, 1, 2, 5, 4}));
  EXPECT_EQ(delivery.outcome, Outcome::accepted);
  EXPECT_EQ(delivery.too_old, 5U);
  ASSERT_THAT(receiver_.requests, SizeIs(2));
  EXPECT_THAT(receiver_.requests[1].points, ElementsAre(Point{"m3", 5, 3}));
}

TEST_F(RemoteWritePeerTest, OfAMessageThatIsPartlyTooOldTheRestIsWritten) {
  speak_v1();
  for (int64_t oldest = 0; oldest <= 100; ++oldest) {
    AllOrNothing peer{[&](const Point& p) { return p.time < oldest ? "out of bounds" : ""; }};
    receiver_.script = std::ref(peer);
    receiver_.requests.clear();
    std::vector<int64_t> times;
    for (int64_t i = 0; i < 300; ++i) times.push_back(i * 7 % 100);
    const Delivery delivery = deliver(message(times));
    ASSERT_EQ(delivery.outcome, Outcome::accepted);
    ASSERT_EQ(delivery.too_old, 3U * static_cast<uint64_t>(oldest)) << oldest;
    ASSERT_EQ(peer.written.size(), 300U - delivery.too_old);
    ASSERT_LE(receiver_.requests.size(), 10U);
  }
}

TEST_F(RemoteWritePeerTest, PointsOutOfOrderCostThemselvesAlone) {
  speak_v1();
  const std::set<std::string> late = {"m3", "m40", "m41", "m99"};
  AllOrNothing peer{
      [&](const Point& p) { return late.contains(p.name) ? "out of order sample" : ""; }};
  receiver_.script = std::ref(peer);
  const Delivery delivery = deliver(message(std::vector<int64_t>(100, 5)));
  EXPECT_EQ(delivery.outcome, Outcome::accepted);
  EXPECT_EQ(delivery.too_old, 4U);
  EXPECT_EQ(peer.written.size(), 96U);
  EXPECT_LT(receiver_.requests.size(), 50U);
}

TEST_F(RemoteWritePeerTest, OldPointsAndPointsOutOfOrderInOneMessage) {
  speak_v1();
  AllOrNothing peer{[&](const Point& p) {
    if (p.time < 30) return "out of bounds";
    return p.time % 10 == 5 ? "duplicate sample for timestamp" : "";
  }};
  receiver_.script = std::ref(peer);
  std::vector<int64_t> times;
  for (int64_t i = 0; i < 100; ++i) times.push_back(i);
  const Delivery delivery = deliver(message(times));
  EXPECT_EQ(delivery.too_old, 37U);
  EXPECT_EQ(peer.written.size(), 63U);
}

TEST_F(RemoteWritePeerTest, TheSearchIsBounded) {
  speak_v1();
  receiver_.script = [](const Received&) { return answer(409, "out of order sample"); };
  const Delivery delivery = deliver(message(std::vector<int64_t>(2000, 5)));
  EXPECT_EQ(delivery.outcome, Outcome::accepted);
  EXPECT_EQ(delivery.too_old, 2000U);
  EXPECT_EQ(receiver_.requests.size(), 1U + Salvage::kMostRequests);
}

TEST_F(RemoteWritePeerTest, AFailureDuringTheSearchIsTheMessagesFate) {
  speak_v1();
  receiver_.script = [&](const Received&) {
    return receiver_.requests.size() < 4 ? answer(400, "out of order sample") : answer(503);
  };
  EXPECT_EQ(deliver(message(std::vector<int64_t>(100, 5))).outcome, Outcome::retry);
  EXPECT_THAT(receiver_.requests, SizeIs(4));
}

TEST_F(RemoteWritePeerTest, DamagedMessagesAreRefused) {
  speak_v1();
  receiver_.script = [](const Received&) { return answer(204); };
  const Delivery delivery = deliver({0, 1, "\xff\xff\xff"});
  EXPECT_EQ(delivery.outcome, Outcome::refused);
  EXPECT_EQ(delivery.reason, "damaged");
  EXPECT_THAT(receiver_.requests, IsEmpty());
}

TEST_F(RemoteWritePeerTest, MetadataIsToldEveryTenMinutes) {
  speak_v1();
  receiver_.script = [](const Received&) { return answer(500); };
  deliver(message({1}));
  receiver_.script = [](const Received&) { return answer(204); };
  std::vector<int> told;
  for (int minute = 0; minute < 12; ++minute) {
    deliver(message({minute}));
    if (receiver_.requests.back().metadata > 0) told.push_back(minute);
    clock_.advance(std::chrono::minutes{1});
  }
  EXPECT_THAT(told, ElementsAre(0, 10));
}

TEST_F(RemoteWritePeerTest, CanBeInterrupted) {
  receiver_.script = [](const Received&) { return answer(204); };
  deliver(message({1}));
  sink_->interrupt();
  EXPECT_TRUE(receiver_.interrupted);
}

TEST_F(RemoteWritePeerTest, NeedsAUrl) {
  EXPECT_FALSE(options_.set("url", "peer:9090"));
  EXPECT_FALSE(options_.set("url", "http:///x"));
  EXPECT_FALSE(options_.set("url", "https://user:secret@peer/"));
  const Options bare = Options::defaults(remote_write_sink_options());
  EXPECT_FALSE(make_remote_write_sink({clock_, entities_, bare, {}}));
}

}  // namespace
}  // namespace warpsight

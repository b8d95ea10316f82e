#include "net/http_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <list>

#include "core/quantity.h"
#include "net/curl_driver.h"
#include "net/curl_transfer.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr long kMostConnections = 4;
constexpr long kKeepAliveSeconds = 20;

tl::unexpected<TransportFailure> out_of_memory() {
  return fail(Kind::setup, "cannot make an HTTP request: out of memory");
}

class CurlHttpStreams final : public HttpStreams {
 public:
  CurlHttpStreams(CurlSetup setup, std::unique_ptr<CurlDriver> driver)
      : setup_(std::move(setup)), driver_(std::move(driver)) {}
  ~CurlHttpStreams() override {
    for (const Stream& stream : streams_) driver_->remove(stream.transfer.handle());
  }
  CurlHttpStreams(const CurlHttpStreams&) = delete;
  CurlHttpStreams& operator=(const CurlHttpStreams&) = delete;

  void begin(uint64_t tag, const std::string& url, const HttpHeaders& headers,
             Duration idle) override;
  void cancel(uint64_t tag) override;
  std::optional<StreamNews> next(SteadyTime until) override;
  size_t under_way() const override { return streams_.size() + news_.size(); }

 private:
  struct Stream {
    Stream(const CurlSetup& setup, uint64_t its_tag, Duration its_idle)
        : tag(its_tag), idle(its_idle), transfer(setup) {}

    uint64_t tag;
    Duration idle;
    SteadyTime heard_last = SystemClock().steady();
    bool status_told = false;
    CurlTransfer transfer;
  };

  TransportResult<> start(Stream& stream, const std::string& url, const HttpHeaders& headers);
  void hear(Stream& stream);
  void finish(CurlDriver::Ended ended);
  void fail_all();
  void end_idle_streams(SteadyTime now);
  SteadyTime first_idle() const;
  void tell_failure(uint64_t tag, TransportFailure failure) {
    news_.push_back({.tag = tag, .kind = StreamNews::Kind::failed, .failure = std::move(failure)});
  }

  CurlSetup setup_;
  std::unique_ptr<CurlDriver> driver_;
  std::list<Stream> streams_;  // all of them run
  std::deque<StreamNews> news_;
};

TransportResult<> CurlHttpStreams::start(Stream& stream, const std::string& url,
                                         const HttpHeaders& headers) {
  CurlTransfer& transfer = stream.transfer;
  if (transfer.handle() == nullptr) return out_of_memory();
  if (const auto aimed = transfer.aim(url, headers); !aimed) return aimed;
  transfer.get();
  const auto& set = setup_.curl->easy_setopt;
  // A connection of HTTP/2 outlives the stream that found it dead, and the next one would share it.
  set(transfer.handle(), CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(transfer.handle(), CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  set(transfer.handle(), CURLOPT_TCP_KEEPINTVL, kKeepAliveSeconds);
  if (!driver_->add(transfer.handle())) return out_of_memory();
  return {};
}

void CurlHttpStreams::begin(uint64_t tag, const std::string& url, const HttpHeaders& headers,
                            Duration idle) {
  Stream& stream = streams_.emplace_back(setup_, tag, idle);
  if (auto started = start(stream, url, headers); !started) {
    tell_failure(tag, std::move(started.error()));
    streams_.pop_back();
  }
}

void CurlHttpStreams::cancel(uint64_t tag) {
  const auto found = std::ranges::find(streams_, tag, &Stream::tag);
  if (found != streams_.end()) {
    driver_->remove(found->transfer.handle());
    streams_.erase(found);
  }
  std::erase_if(news_, [&](const StreamNews& news) { return news.tag == tag; });
}

void CurlHttpStreams::hear(Stream& stream) {
  const auto status = stream.transfer.status();
  if (status && !stream.status_told) {
    stream.status_told = true;
    stream.heard_last = SystemClock().steady();
    news_.push_back({.tag = stream.tag, .kind = StreamNews::Kind::status, .status = *status});
  }
  if (!stream.status_told) return;
  std::string bytes = stream.transfer.drain();
  if (bytes.empty()) return;
  stream.heard_last = SystemClock().steady();
  news_.push_back({.tag = stream.tag, .kind = StreamNews::Kind::bytes, .bytes = std::move(bytes)});
}

void CurlHttpStreams::finish(CurlDriver::Ended ended) {
  const auto found = std::ranges::find_if(
      streams_, [&](const Stream& stream) { return stream.transfer.handle() == ended.handle; });
  hear(*found);
  auto outcome = found->transfer.outcome(ended.code);
  if (outcome) {
    news_.push_back({.tag = found->tag, .kind = StreamNews::Kind::ended});
  } else {
    tell_failure(found->tag, std::move(outcome.error()));
  }
  driver_->remove(found->transfer.handle());
  streams_.erase(found);
}

void CurlHttpStreams::fail_all() {
  for (Stream& stream : streams_) {
    tell_failure(stream.tag, stream.transfer.outcome(CURLE_FAILED_INIT).error());
    driver_->remove(stream.transfer.handle());
  }
  streams_.clear();
}

void CurlHttpStreams::end_idle_streams(SteadyTime now) {
  for (auto stream = streams_.begin(); stream != streams_.end();) {
    if (now - stream->heard_last < stream->idle) {
      ++stream;
      continue;
    }
    tell_failure(stream->tag,
                 {.kind = Kind::timeout,
                  .message = fmt::format("nothing came from {} for {}", stream->transfer.peer(),
                                         format_duration(stream->idle)),
                  .hint = "see why the peer is slow"});
    driver_->remove(stream->transfer.handle());
    stream = streams_.erase(stream);
  }
}

SteadyTime CurlHttpStreams::first_idle() const {
  SteadyTime first = SteadyTime::max();
  for (const Stream& stream : streams_) first = std::min(first, stream.heard_last + stream.idle);
  return first;
}

std::optional<StreamNews> CurlHttpStreams::next(SteadyTime until) {
  bool last_look = false;
  while (news_.empty() && !streams_.empty() && !last_look) {
    last_look = SystemClock().steady() >= until;
    if (!driver_->go_on(std::min(until, first_idle()))) fail_all();
    for (Stream& stream : streams_) hear(stream);
    while (const auto ended = driver_->ended()) finish(*ended);
    end_idle_streams(SystemClock().steady());
  }
  if (news_.empty()) return std::nullopt;
  StreamNews first = std::move(news_.front());
  news_.pop_front();
  return first;
}

}  // namespace

TransportResult<std::unique_ptr<HttpStreams>> HttpStreams::make(HttpClientSettings settings) {
  settings.timeout = Duration::zero();
  auto setup = CurlSetup::make(std::move(settings));
  if (!setup) return tl::unexpected(setup.error());
  auto driver = CurlDriver::make(*setup->curl, kMostConnections);
  if (!driver) return tl::unexpected(driver.error());
  return std::make_unique<CurlHttpStreams>(std::move(*setup), std::move(*driver));
}

}  // namespace warpsight

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "net/curl_driver.h"
#include "net/curl_transfer.h"
#include "net/http_fetcher.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr long kMostConnections = 512;
constexpr size_t kMostKept = 512;
constexpr Duration kForgetAfter = std::chrono::minutes{10};

tl::unexpected<TransportFailure> out_of_memory() {
  return fail(Kind::setup, "cannot make an HTTP request: out of memory");
}

class CurlHttpFetcher final : public HttpFetcher {
 public:
  CurlHttpFetcher(CurlSetup setup, std::unique_ptr<CurlDriver> driver)
      : setup_(std::move(setup)), driver_(std::move(driver)) {}
  ~CurlHttpFetcher() override {
    stop_if([](const Exchange&) { return true; });
  }
  CurlHttpFetcher(const CurlHttpFetcher&) = delete;
  CurlHttpFetcher& operator=(const CurlHttpFetcher&) = delete;

  void begin(uint64_t tag, const std::string& url, const HttpHeaders& headers, std::string body,
             bool direct) override;
  void cancel(uint64_t tag) override;
  std::optional<Fetched> next(SteadyTime until) override;
  size_t under_way() const override { return running_ + settled_.size(); }
  void interrupt() override { driver_->interrupt(); }

 private:
  // Lasts from one request of a URL to the next, so that libcurl is set up once.
  struct Exchange {
    explicit Exchange(const CurlSetup& setup) : transfer(setup) {}

    CurlTransfer transfer;
    bool running = false;
    uint64_t tag = 0;
    SteadyTime used_last;
  };

  Exchange& idle_exchange(const std::string& url);
  void forget_idle_exchanges();
  TransportResult<> start(Exchange& exchange, const std::string& url, const HttpHeaders& headers,
                          std::string body, bool direct);
  void stop(Exchange& exchange);
  template <typename Condition>
  void stop_if(Condition condition);
  Fetched finish(CurlDriver::Ended ended);
  void settle_all(CURLcode code);

  CurlSetup setup_;
  std::unique_ptr<CurlDriver> driver_;
  std::unordered_multimap<std::string, Exchange> exchanges_;  // by URL
  size_t running_ = 0;
  std::deque<Fetched> settled_;  // outcomes that libcurl has no part in
};

CurlHttpFetcher::Exchange& CurlHttpFetcher::idle_exchange(const std::string& url) {
  const auto [first, last] = exchanges_.equal_range(url);
  const auto idle =
      std::find_if(first, last, [](const auto& item) { return !item.second.running; });
  if (idle != last) return idle->second;
  forget_idle_exchanges();
  return exchanges_
      .emplace(std::piecewise_construct, std::forward_as_tuple(url), std::forward_as_tuple(setup_))
      ->second;
}

void CurlHttpFetcher::forget_idle_exchanges() {
  const SteadyTime now = SystemClock().steady();
  const SteadyTime kept_from = exchanges_.size() < kMostKept ? now - kForgetAfter : now;
  std::erase_if(exchanges_, [&](const auto& item) {
    return !item.second.running && item.second.used_last < kept_from;
  });
}

TransportResult<> CurlHttpFetcher::start(Exchange& exchange, const std::string& url,
                                         const HttpHeaders& headers, std::string body,
                                         bool direct) {
  CurlTransfer& transfer = exchange.transfer;
  if (transfer.handle() == nullptr) return out_of_memory();
  if (const auto aimed = transfer.aim(url, headers, direct); !aimed) return aimed;
  transfer.get(std::move(body));
  setup_.curl->easy_setopt(transfer.handle(), CURLOPT_PRIVATE, &exchange);
  if (!driver_->add(transfer.handle())) return out_of_memory();
  return {};
}

void CurlHttpFetcher::stop(Exchange& exchange) {
  driver_->remove(exchange.transfer.handle());
  exchange.running = false;
  exchange.used_last = SystemClock().steady();
  --running_;
}

template <typename Condition>
void CurlHttpFetcher::stop_if(Condition condition) {
  for (auto& [url, exchange] : exchanges_) {
    if (exchange.running && condition(exchange)) stop(exchange);
  }
}

void CurlHttpFetcher::begin(uint64_t tag, const std::string& url, const HttpHeaders& headers,
                            std::string body, bool direct) {
  Exchange& exchange = idle_exchange(url);
  if (auto started = start(exchange, url, headers, std::move(body), direct); !started) {
    settled_.push_back({.tag = tag, .reply = tl::unexpected(std::move(started.error()))});
    return;
  }
  exchange.tag = tag;
  exchange.running = true;
  ++running_;
}

void CurlHttpFetcher::cancel(uint64_t tag) {
  stop_if([&](const Exchange& exchange) { return exchange.tag == tag; });
  std::erase_if(settled_, [&](const Fetched& fetched) { return fetched.tag == tag; });
}

Fetched CurlHttpFetcher::finish(CurlDriver::Ended ended) {
  Exchange* exchange = nullptr;
  setup_.curl->easy_getinfo(ended.handle, CURLINFO_PRIVATE, &exchange);
  Fetched fetched{.tag = exchange->tag,
                  .reply = exchange->transfer.outcome(ended.code),
                  .took = exchange->transfer.took()};
  stop(*exchange);
  return fetched;
}

void CurlHttpFetcher::settle_all(CURLcode code) {
  stop_if([&](Exchange& exchange) {
    settled_.push_back({.tag = exchange.tag, .reply = exchange.transfer.outcome(code)});
    return true;
  });
}

std::optional<Fetched> CurlHttpFetcher::next(SteadyTime until) {
  if (settled_.empty()) {
    const auto ended = driver_->next(until);
    if (!ended) return std::nullopt;
    if (ended->handle != nullptr) return finish(*ended);
    settle_all(ended->code);
  }
  if (driver_->interrupted() || settled_.empty()) return std::nullopt;
  Fetched first = std::move(settled_.front());
  settled_.pop_front();
  return first;
}

}  // namespace

TransportResult<std::unique_ptr<HttpFetcher>> HttpFetcher::make(HttpClientSettings settings) {
  auto setup = CurlSetup::make(std::move(settings));
  if (!setup) return tl::unexpected(setup.error());
  auto driver = CurlDriver::make(*setup->curl, kMostConnections);
  if (!driver) return tl::unexpected(driver.error());
  return std::make_unique<CurlHttpFetcher>(std::move(*setup), std::move(*driver));
}

}  // namespace warpsight

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/version.h"
#include "net/curl_driver.h"
#include "net/curl_transfer.h"
#include "net/http_client.h"
#include "net/http_header.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr long kMostConnections = 4;

class CurlHttpClient final : public HttpClient {
 public:
  CurlHttpClient(CurlSetup setup, std::unique_ptr<CurlDriver> driver)
      : setup_(std::move(setup)), driver_(std::move(driver)), transfer_(setup_) {}

  bool usable() const { return transfer_.handle() != nullptr; }

  TransportResult<HttpReply> post(const std::string& url, const HttpHeaders& headers,
                                  std::string_view body) override {
    return request(url, headers, body);
  }
  TransportResult<HttpReply> get(const std::string& url, const HttpHeaders& headers) override {
    return request(url, headers, std::nullopt);
  }
  void interrupt() override { driver_->interrupt(); }

 private:
  TransportResult<HttpReply> request(const std::string& url, const HttpHeaders& headers,
                                     std::optional<std::string_view> body);

  CurlSetup setup_;
  std::unique_ptr<CurlDriver> driver_;
  CurlTransfer transfer_;
};

TransportResult<HttpReply> CurlHttpClient::request(const std::string& url,
                                                   const HttpHeaders& headers,
                                                   std::optional<std::string_view> body) {
  if (const auto aimed = transfer_.aim(url, headers); !aimed) return tl::unexpected(aimed.error());
  if (body) {
    transfer_.post(*body);
  } else {
    transfer_.get();
  }
  if (!driver_->add(transfer_.handle())) return transfer_.outcome(CURLE_FAILED_INIT);
  const auto ended = driver_->next(SteadyTime::max());
  driver_->remove(transfer_.handle());
  if (ended) return transfer_.outcome(ended->code);
  return fail(Kind::interrupted, fmt::format("the request to {} was stopped", transfer_.peer()));
}

}  // namespace

const std::string kUserAgent = std::string("warpsight/") + kVersion;

std::string_view HttpReply::header(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [&](const auto& header) { return same_header_name(header.first, name); });
  return found != headers.end() ? std::string_view(found->second) : std::string_view();
}

TransportResult<std::unique_ptr<HttpClient>> HttpClient::make(HttpClientSettings settings) {
  auto setup = CurlSetup::make(std::move(settings));
  if (!setup) return tl::unexpected(setup.error());
  auto driver = CurlDriver::make(*setup->curl, kMostConnections);
  if (!driver) return tl::unexpected(driver.error());
  auto client = std::make_unique<CurlHttpClient>(std::move(*setup), std::move(*driver));
  if (!client->usable()) return fail(Kind::setup, "cannot make an HTTP client: out of memory");
  return client;
}

}  // namespace warpsight

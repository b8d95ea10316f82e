#include "sinks/http_peer.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "runtime/delivery.h"

namespace warpsight {
namespace {

constexpr std::string_view kUrlHint = "write it as https://host:port/path";

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

Result<> check_http_url(std::string_view url) {
  const size_t scheme = url.find("://");
  const std::string_view name = url.substr(0, scheme);
  if (scheme == std::string_view::npos || (name != "http" && name != "https")) {
    return fail("is not an http or https URL", std::string(kUrlHint));
  }
  const std::string_view rest = url.substr(scheme + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.empty()) return fail("names no host", std::string(kUrlHint));
  if (authority.find('@') != std::string_view::npos) {
    return fail("holds credentials", "put them in auth.username and auth.password");
  }
  return {};
}

HttpPeer::HttpPeer(const Options& options, std::unique_ptr<HttpClient> client)
    : url_(options.text("url")), headers_(options), client_(std::move(client)) {}

Result<std::unique_ptr<HttpPeer>> HttpPeer::make(const Options& options) {
  if (options.text("url").empty()) return fail("url is not set", std::string(kUrlHint));
  auto settings = peer_settings(options);
  if (!settings) return tl::unexpected(std::move(settings.error()));
  auto client = HttpClient::make(std::move(*settings));
  if (!client) return fail(std::move(client.error().message), std::move(client.error().hint));
  return std::make_unique<HttpPeer>(options, std::move(*client));
}

tl::expected<HttpReply, Delivery> HttpPeer::post(const HttpHeaders& headers,
                                                 std::string_view body) {
  auto all = headers_.current();
  if (!all) {
    return tl::unexpected(Delivery{.outcome = Delivery::Outcome::unauthorized,
                                   .reason = "credentials",
                                   .words = describe(all.error())});
  }
  const size_t configured = all->size();
  for (const auto& header : headers) {
    const bool given =
        std::any_of(all->begin(), all->begin() + static_cast<std::ptrdiff_t>(configured),
                    [&](const auto& other) { return same_name(other.first, header.first); });
    if (!given) all->push_back(header);
  }
  auto reply = client_->post(url_, *all, body);
  if (!reply) return tl::unexpected(delivery_of(reply.error()));
  return std::move(*reply);
}

std::string HttpPeer::name() const { return url_.substr(0, url_.find_first_of("?#")); }

}  // namespace warpsight

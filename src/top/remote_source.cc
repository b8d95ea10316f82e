#include "top/remote_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "net/base64.h"
#include "net/http_client.h"
#include "top/history.h"

namespace warpsight::top {
namespace {

constexpr size_t kLongestAnswer = size_t{32} << 20;

tl::unexpected<Error> refused(const AgentAddress& address, int status) {
  const std::string message = fmt::format("{} answered {}", address.name, status);
  if (status == 401 || status == 403) {
    return fail(message + ": it wants a token or a password",
                "give the token of its listen_auth with --token-file; for the agent of this node, "
                "--config with its config will do");
  }
  if (status == 404) return fail(message, "is it a Warpsight agent, and as new as this one?");
  return fail(message, "`warpsight doctor` on that host may tell more");
}

class RemoteSource final : public NodeSource {
 public:
  RemoteSource(AgentAddress address, const RemoteSettings& settings,
               std::unique_ptr<HttpClient> client)
      : address_(std::move(address)), client_(std::move(client)) {
    if (!settings.token.empty()) {
      headers_.emplace_back("authorization", "Bearer " + settings.token);
    } else if (!settings.username.empty()) {
      headers_.emplace_back("authorization",
                            "Basic " + base64_encode(settings.username + ":" + settings.password));
    }
  }

  Result<std::string> now() override { return get("/api/v1/now"); }

  Result<std::string> past(const Node& node) override {
    const double step = std::clamp(std::ceil(node.interval.value_or(10)), 1.0, kHistorySeconds);
    return get(
        fmt::format("/api/v1/series?metric={}&metric=gpu.memory.used&metric=gpu.power.draw"
                    "&metric=gpu.temperature&from=-{:.0f}s&step={:.0f}&limit=1000",
                    fmt::join(kUsageMetrics, "&metric="), kHistorySeconds, step));
  }

  void interrupt() override { client_->interrupt(); }

 private:
  Result<std::string> get(const std::string& path) {
    auto reply = client_->get(address_.url + path, headers_);
    if (!reply) return fail(reply.error().message, reply.error().hint);
    if (reply->status != 200) return refused(address_, reply->status);
    return std::move(reply->body);
  }

  AgentAddress address_;
  std::unique_ptr<HttpClient> client_;
  HttpHeaders headers_;
};

}  // namespace

Result<std::unique_ptr<NodeSource>> make_remote_source(const AgentAddress& address,
                                                       const RemoteSettings& settings) {
  auto client = HttpClient::make(
      {.tls = settings.tls, .timeout = settings.timeout, .response_limit = kLongestAnswer});
  if (!client) return fail(client.error().message, client.error().hint);
  return std::make_unique<RemoteSource>(address, settings, std::move(*client));
}

}  // namespace warpsight::top

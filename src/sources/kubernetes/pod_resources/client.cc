#include "sources/kubernetes/pod_resources/client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "net/foreign_text.h"
#include "net/grpc_status.h"

namespace warpsight::kubernetes {
namespace {

constexpr size_t kLargestAnswer = size_t{16} << 20;
constexpr size_t kWords = 200;

std::string hint_for(GrpcStatus status) {
  switch (status) {
    case GrpcStatus::unimplemented:
      return "it takes a kubelet of 1.20 or later with the pod-resources API";
    case GrpcStatus::resource_exhausted:
      return "others on this node ask the kubelet too often; raise `poll` here and there";
    case GrpcStatus::permission_denied:
    case GrpcStatus::unauthenticated: return "let the agent's user ask the kubelet";
    default: return "see the kubelet's log";
  }
}

}  // namespace

Result<PodResourcesClient> PodResourcesClient::make(const SocketAddress& address,
                                                    Duration timeout) {
  auto client =
      GrpcClient::make({.address = address, .timeout = timeout, .response_limit = kLargestAnswer});
  if (!client) return fail(client.error().message, client.error().hint);
  return PodResourcesClient(address, std::move(*client));
}

Error PodResourcesClient::explain(const TransportFailure& failure) const {
  std::string hint = failure.hint;
  if (failure.kind == TransportFailure::Kind::timeout) {
    hint = "is the kubelet overloaded or stuck? see its log";
  } else if (failure.kind == TransportFailure::Kind::connect &&
             address_.kind == SocketAddress::Kind::unix_path) {
    if (::access(address_.path.c_str(), F_OK) != 0) {
      hint = errno == EACCES
                 ? "run the agent as root, or let its user into the socket's folder"
                 : "mount the host's /var/lib/kubelet/pod-resources read-only at the same place";
    } else if (::access(address_.path.c_str(), W_OK) != 0 && errno == EACCES) {
      hint = "run the agent as root, or let its user open the socket";
    } else {
      hint = "is the kubelet running?";
    }
  }
  return {.message = "pod-resources: " + failure.message, .hint = std::move(hint)};
}

Result<std::string> PodResourcesClient::call(const std::string& method) {
  auto reply = client_->call("/v1.PodResourcesLister/" + method, {}, {}, GrpcEncoding::identity);
  if (!reply) return tl::unexpected(explain(reply.error()));
  if (const GrpcStatus status = grpc_status_of(reply->status); status != GrpcStatus::ok) {
    return fail(fmt::format("pod-resources: the kubelet refused {}: {}: {}", method,
                            to_string(status), printable_beginning(reply->message, kWords)),
                hint_for(status));
  }
  return std::move(reply->body);
}

}  // namespace warpsight::kubernetes

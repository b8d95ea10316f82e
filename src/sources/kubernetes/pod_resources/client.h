// Asks the kubelet which devices it gave away.
#pragma once

#include <memory>
#include <string>

#include "core/clock.h"
#include "core/result.h"
#include "net/grpc_client.h"
#include "platform/sockets.h"

namespace warpsight::kubernetes {

inline constexpr std::string_view kPodResourcesSocket =
    "unix:/var/lib/kubelet/pod-resources/kubelet.sock";

// For one thread. Answers are as they came; see answers.h.
class PodResourcesClient {
 public:
  static Result<PodResourcesClient> make(const SocketAddress& address, Duration timeout);

  // Pods and the devices their containers have.
  Result<std::string> list() { return call("List"); }
  // The devices there are, given away or not.
  Result<std::string> allocatable() { return call("GetAllocatableResources"); }

  const SocketAddress& address() const { return address_; }

 private:
  PodResourcesClient(SocketAddress address, std::unique_ptr<GrpcClient> client)
      : address_(std::move(address)), client_(std::move(client)) {}

  Result<std::string> call(const std::string& method);
  Error explain(const TransportFailure& failure) const;

  SocketAddress address_;
  std::unique_ptr<GrpcClient> client_;
};

}  // namespace warpsight::kubernetes

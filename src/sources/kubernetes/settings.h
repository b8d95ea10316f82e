// What the config and the machine say of the kubelet and of this node.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "platform/sockets.h"
#include "runtime/source.h"

namespace warpsight::kubernetes {

Result<> check_socket_address(std::string_view text);

// A unix socket is under the context's root if it is there, else where it says.
Result<SocketAddress> pod_resources_address(const SourceContext& context);

// As the config has it, or the environment, or the host's name.
std::string node_name(const Options& options);

}  // namespace warpsight::kubernetes

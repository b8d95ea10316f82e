#include "sources/kubernetes/settings.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <cstdlib>

#include "platform/file.h"

namespace warpsight::kubernetes {

Result<> check_socket_address(std::string_view text) {
  const auto address = parse_address(text);
  if (!address) return tl::unexpected(address.error());
  return {};
}

Result<SocketAddress> pod_resources_address(const SourceContext& context) {
  auto address = parse_address(context.options.text("pod_resources"));
  if (!address || address->kind != SocketAddress::Kind::unix_path) return address;
  std::string rooted = under_root(context.root, address->path);
  if (::access(rooted.c_str(), F_OK) == 0) address->path = std::move(rooted);
  return address;
}

std::string node_name(const Options& options) {
  if (const std::string& given = options.text("node_name"); !given.empty()) return given;
  for (const char* const variable : {"K8S_NODE_NAME", "NODE_NAME"}) {
    const char* const value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr && *value != '\0') return value;
  }
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), HOST_NAME_MAX) != 0) return {};
  std::string name = host.data();
  // As the kubelet does.
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace warpsight::kubernetes

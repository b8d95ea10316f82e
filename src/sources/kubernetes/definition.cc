#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "sources/kubernetes/api/metadata_factory.h"
#include "sources/kubernetes/kubernetes_source.h"
#include "sources/kubernetes/options.h"
#include "sources/kubernetes/pod_resources/answers.h"
#include "sources/kubernetes/pod_resources/client.h"
#include "sources/kubernetes/settings.h"

namespace warpsight::kubernetes {
namespace {

using State = Finding::State;

Result<std::unique_ptr<Metadata>> metadata_of(const SourceContext& context) {
  const Options& options = context.options;
  return make_metadata({.mode = options.text("metadata"),
                        .node_name = node_name(options),
                        .api = options.text("api"),
                        .token_file = options.text("token_file"),
                        .ca_file = options.text("ca_file"),
                        .kubelet = options.text("kubelet"),
                        .kubelet_ca_file = options.text("kubelet_ca_file"),
                        .timeout = options.duration("timeout")},
                       context.clock);
}

Result<std::unique_ptr<Source>> make(const SourceContext& context) {
  auto metadata = metadata_of(context);
  if (!metadata) return tl::unexpected(metadata.error());
  return make_with(context, std::move(*metadata));
}

bool present(const SourceContext& context) {
  if (!context.simulate.empty()) return false;
  const auto address = pod_resources_address(context);
  return address && (address->kind != SocketAddress::Kind::unix_path ||
                     ::access(address->path.c_str(), F_OK) == 0);
}

Finding failure(const Error& error) { return {State::missing, error.message, error.hint}; }

Finding look_at_kubelet(const SourceContext& context) {
  const auto address = pod_resources_address(context);
  if (!address) return failure(address.error());
  auto client = PodResourcesClient::make(*address, context.options.duration("timeout"));
  if (!client) return failure(client.error());
  const auto bytes = client->list();
  if (!bytes) return failure(bytes.error());
  const auto pods = decode_pods(*bytes);
  if (!pods) return failure(pods.error());
  return {State::ok,
          fmt::format("the kubelet at {} lists {} pods", to_string(*address), pods->size()),
          {}};
}

Finding look_at_metadata(const SourceContext& context) {
  const std::string& mode = context.options.text("metadata");
  if (mode == "none") return {State::ok, "metadata of pods is not asked for", {}};
  auto metadata = metadata_of(context);
  if (!metadata) return failure(metadata.error());
  const SteadyTime end = context.clock.steady() + context.options.duration("timeout");
  const Duration step = std::chrono::milliseconds{100};
  while (!(*metadata)->synced() && (*metadata)->problem().empty() && context.clock.steady() < end) {
    (*metadata)->advance(step);
  }
  if (const std::string problem = (*metadata)->problem(); !problem.empty()) {
    return {State::degraded, "metadata of pods: " + problem, {}};
  }
  if (!(*metadata)->synced()) {
    return {State::degraded, "metadata of pods does not come in time",
            "raise `timeout`, or see whether the API server answers"};
  }
  return {State::ok, fmt::format("metadata of {} pods", (*metadata)->pods().size()), {}};
}

Finding look_at_node_name(const SourceContext& context) {
  const std::string name = node_name(context.options);
  if (!name.empty()) return {State::ok, "this node is " + name, {}};
  return {State::degraded, "the name of this node is not known",
          "set NODE_NAME in the agent's environment from spec.nodeName"};
}

std::vector<Finding> diagnose(const SourceContext& context) {
  if (!context.simulate.empty()) {
    return {{State::ok, "simulating " + context.simulate + ": no kubelet is asked", {}}};
  }
  if (!present(context)) {
    const std::string& socket = context.options.text("pod_resources");
    const bool asked_for = context.options.given("enabled");
    return {{asked_for ? State::missing : State::ok, "no kubelet's socket at " + socket,
             "in a cluster, mount the host's /var/lib/kubelet/pod-resources read-only"}};
  }
  return {look_at_kubelet(context), look_at_node_name(context), look_at_metadata(context)};
}

}  // namespace

constinit const SourceDef kKubernetesSource = {
    .name = "kubernetes",
    .summary = "pods and containers that hold the GPUs",
    .isolation = Isolation::thread,
    .vendor = {},
    .options = kOptions,
    .make = make,
    .diagnose = diagnose,
    .present = present,
};

}  // namespace warpsight::kubernetes

#include "sources/kubernetes/api/metadata_factory.h"

#include <utility>

#include "sources/kubernetes/api/auto_metadata.h"
#include "sources/kubernetes/api/no_metadata.h"

namespace warpsight::kubernetes {
namespace {

template <typename T>
using Made = Result<std::unique_ptr<T>>;

Made<ApiMetadata> make_api(const MetadataSettings& settings, const Clock& clock,
                           const Surroundings& surroundings) {
  auto access = complete(
      {.url = settings.api, .token_file = settings.token_file, .ca_file = settings.ca_file},
      surroundings);
  if (!access) return tl::unexpected(access.error());
  auto client = ApiClient::make(std::move(*access), settings.timeout, clock);
  if (!client) return tl::unexpected(client.error());
  return std::make_unique<ApiMetadata>(std::move(*client), settings.node_name,
                                       settings.resource_slices);
}

Made<KubeletMetadata> make_kubelet(const MetadataSettings& settings, const Clock& clock,
                                   const Surroundings& surroundings) {
  const std::string url =
      settings.kubelet.empty() ? "https://" + settings.node_name + ":10250" : settings.kubelet;
  auto access = complete(
      {.url = url,
       .token_file = settings.token_file,
       .ca_file = settings.kubelet_ca_file.empty() ? settings.ca_file : settings.kubelet_ca_file},
      surroundings);
  if (!access) return tl::unexpected(access.error());
  auto client = ApiClient::make(std::move(*access), settings.timeout, clock);
  if (!client) return tl::unexpected(client.error());
  return std::make_unique<KubeletMetadata>(std::move(*client), settings.node_name);
}

}  // namespace

Result<std::unique_ptr<Metadata>> make_metadata(const MetadataSettings& settings,
                                                const Clock& clock,
                                                const Surroundings& surroundings) {
  if (settings.mode == "none") return std::make_unique<NoMetadata>(settings.node_name);
  if (settings.node_name.empty()) {
    return fail("the name of this Kubernetes node is not known",
                "set node_name, in a pod from spec.nodeName");
  }
  if (settings.mode == "api") return make_api(settings, clock, surroundings);
  if (settings.mode == "kubelet") return make_kubelet(settings, clock, surroundings);
  if (settings.mode != "auto") {
    return fail("there is no mode \"" + settings.mode + "\" of pod metadata",
                "use auto, api, kubelet or none");
  }
  auto kubelet = make_kubelet(settings, clock, surroundings);
  if (!kubelet) return std::make_unique<NoMetadata>(settings.node_name, describe(kubelet.error()));
  return std::make_unique<AutoMetadata>(make_api(settings, clock, surroundings),
                                        std::move(*kubelet), clock);
}

Result<std::unique_ptr<Metadata>> make_metadata(const MetadataSettings& settings,
                                                const Clock& clock) {
  return make_metadata(settings, clock, Surroundings::of_this_process());
}

}  // namespace warpsight::kubernetes

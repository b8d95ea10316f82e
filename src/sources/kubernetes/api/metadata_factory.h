// Chooses who tells of this node's pods.
#pragma once

#include <memory>
#include <string>

#include "sources/kubernetes/api/access.h"
#include "sources/kubernetes/metadata.h"

namespace warpsight::kubernetes {

struct MetadataSettings {
  std::string mode = "auto";  // auto, api, kubelet, none
  std::string node_name = {};
  std::string api = {};              // URL; empty: as a pod's environment says
  std::string token_file = {};       // empty: the service account's
  std::string ca_file = {};          // empty: the service account's
  std::string kubelet = {};          // URL; empty: https://NODE:10250
  std::string kubelet_ca_file = {};  // empty: as ca_file
  Duration timeout = std::chrono::seconds{10};
  bool resource_slices = true;
};

// `clock` must outlive what is made. In mode auto, what cannot be asked is left out, and problem()
// says why; the other modes fail then.
Result<std::unique_ptr<Metadata>> make_metadata(const MetadataSettings& settings,
                                                const Clock& clock);

// The same for tests.
Result<std::unique_ptr<Metadata>> make_metadata(const MetadataSettings& settings,
                                                const Clock& clock,
                                                const Surroundings& surroundings);

}  // namespace warpsight::kubernetes

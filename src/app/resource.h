// What the agent stands on, as attributes: host, cloud, cluster, and who it is itself.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/config.h"
#include "core/entity.h"

namespace warpsight {

struct Resource {
  // Everything known; for outputs that state a resource once.
  std::vector<Attribute> full;
  // The host's name, what the config adds, and whether it is simulated; for outputs that repeat it.
  std::vector<Attribute> brief;
  friend bool operator==(const Resource&, const Resource&) = default;
};

struct ResourceInputs {
  std::string root = "/";  // above /etc and /sys
  // Value of an environment variable; empty when it is not set.
  std::function<std::string(const char* name)> environment;
  // From OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME; over what was detected.
  std::span<const Attribute> from_environment = {};
  bool simulated = false;
};

// The config's `attributes` override all but "simulated".
Resource detect_resource(const Config& config, const ResourceInputs& inputs);

// Empty when it is not known.
std::string host_name(const Resource& resource);

}  // namespace warpsight

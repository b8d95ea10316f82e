// What every series says of where it comes from.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/entity.h"
#include "core/result.h"
#include "runtime/options.h"
#include "sinks/prometheus/labels.h"

namespace warpsight {

struct RemoteTarget {
  std::vector<Label> common;  // of every series
  std::vector<Label> info;    // of target_info: the whole resource
};

// `options` are the sink's: job, instance, resource_labels, external_labels.
Result<RemoteTarget> make_remote_target(const Options& options,
                                        std::span<const Attribute> resource);

// Sorted by name, __name__ among them, each name once: a series' own label wins over a common one.
// Values are made UTF-8.
std::vector<Label> complete_labels(std::string_view metric_name, std::vector<Label> own,
                                   std::span<const Label> common);

}  // namespace warpsight

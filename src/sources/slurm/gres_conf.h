// The GPUs of one node as gres.conf and slurm.conf describe them, or as slurmd itself says.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "sources/slurm/conf_file.h"

namespace warpsight::slurm {

// A device that Slurm gives as one: its file, or the several files of a MIG instance.
struct GpuFiles {
  std::string type = {};
  std::vector<std::string> files = {};

  friend bool operator==(const GpuFiles&, const GpuFiles&) = default;
};

// What slurm.conf says of a node.
struct NodeConf {
  std::string cluster = {};
  bool known = false;     // a NodeName= names it
  std::string gres = {};  // its Gres=
};

NodeConf node_conf(std::span<const ConfLine> slurm_conf, std::string_view node);

// The name of the node that runs on a host, where slurm.conf names the host (NodeHostname=).
std::optional<std::string> node_of_host(std::span<const ConfLine> slurm_conf,
                                        std::string_view host);

// The node's GPUs in the order of Slurm's indices (IDX): types in the order of its Gres=, within a
// type as gres.conf lists the files. Fails where the two do not tell that order: GPUs that slurmd
// detects itself, types that Gres= does not name.
Result<std::vector<GpuFiles>> gpus_of_node(std::span<const ConfLine> gres_conf,
                                           const NodeConf& node, std::string_view node_name);

// The same from what `slurmd -G` writes.
Result<std::vector<GpuFiles>> parse_slurmd_gres(std::string_view text);

}  // namespace warpsight::slurm

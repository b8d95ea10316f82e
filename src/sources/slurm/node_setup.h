// What Slurm calls this node, and where its configuration is.
#pragma once

#include <string>

#include "runtime/options.h"
#include "sources/slurm/gres_conf.h"

namespace warpsight::slurm {

struct NodeSetup {
  std::string node;
  bool of_host = false;          // the name that slurmd finds for this host by itself
  std::string config = {};       // slurm.conf below the root; empty: none was found
  std::string gres_config = {};  // gres.conf below the root, whether it is there or not
  NodeConf conf = {};
};

// From the options node_name, config and gres_config, else from the environment and the usual
// places.
NodeSetup find_node_setup(const Options& options, const std::string& root);

}  // namespace warpsight::slurm

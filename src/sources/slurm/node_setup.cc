#include "sources/slurm/node_setup.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "platform/file.h"

namespace warpsight::slurm {
namespace {

constexpr std::array<const char*, 5> kUsualConfigs = {
    "/etc/slurm/slurm.conf", "/etc/slurm-llnl/slurm.conf",
    "/run/slurm/conf/slurm.conf",  // of a node that takes it from the controller
    "/var/spool/slurmd/conf-cache/slurm.conf", "/var/spool/slurm/d/conf-cache/slurm.conf"};

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value != nullptr ? value : "";
}

std::string short_host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), HOST_NAME_MAX) != 0) return {};
  const std::string whole(name.data());
  return whole.substr(0, whole.find('.'));
}

std::string find_config(const Options& options, const std::string& root) {
  if (const std::string& given = options.text("config"); !given.empty()) return given;
  if (std::string set = variable("SLURM_CONF"); !set.empty()) return set;
  for (const char* path : kUsualConfigs) {
    std::error_code ignored;
    if (std::filesystem::exists(under_root(root, path), ignored)) return path;
  }
  return {};
}

}  // namespace

NodeSetup find_node_setup(const Options& options, const std::string& root) {
  NodeSetup setup;
  setup.config = find_config(options, root);
  setup.gres_config = options.text("gres_config");
  if (setup.gres_config.empty() && !setup.config.empty()) {
    setup.gres_config = (std::filesystem::path(setup.config).parent_path() / "gres.conf").string();
  }
  std::vector<ConfLine> lines;
  if (!setup.config.empty()) lines = read_conf(root, setup.config).value_or(lines);
  const std::string host = short_host_name();
  const std::string by_host =
      node_conf(lines, host).known ? host : node_of_host(lines, host).value_or(host);
  setup.node = options.text("node_name");
  if (setup.node.empty()) setup.node = variable("SLURMD_NODENAME");
  if (setup.node.empty()) setup.node = by_host;
  setup.of_host = setup.node == by_host;
  setup.conf = node_conf(lines, setup.node);
  return setup;
}

}  // namespace warpsight::slurm

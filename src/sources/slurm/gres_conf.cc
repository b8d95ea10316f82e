#include "sources/slurm/gres_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "sources/slurm/gres_text.h"
#include "sources/slurm/hostlist.h"
#include "sources/sysfs/text.h"

namespace warpsight::slurm {
namespace {

constexpr size_t kMaxDevices = 1024;
constexpr size_t kMaxNodes = 100'000;

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool concerns(const ConfLine& line, std::string_view node) {
  const std::string* nodes = line.find("nodename");
  return nodes == nullptr || position_in_hostlist(*nodes, node).has_value();
}

// Whether slurmd looks for the node's GPUs itself. A line for the node counts more than one for
// all.
bool detects(std::span<const ConfLine> lines, std::string_view node) {
  bool for_all = false;
  std::optional<bool> for_node;
  for (const ConfLine& line : lines) {
    const std::string* detect = line.find("autodetect");
    if (detect == nullptr || !concerns(line, node)) continue;
    const bool on = !equal_ignoring_case(*detect, "off");
    if (line.find("nodename") != nullptr) {
      for_node = on || for_node.value_or(false);
    } else {
      for_all = on || for_all;
    }
  }
  return for_node.value_or(for_all);
}

Result<std::vector<GpuFiles>> gpus_of_line(const ConfLine& line) {
  const std::string* type = line.find("type");
  const GpuFiles blank{.type = type == nullptr ? "" : *type, .files = {}};
  std::vector<GpuFiles> gpus;
  if (const std::string* several = line.find("multiplefiles")) {
    auto files = expand_hostlist(*several, kMaxDevices);
    if (!files) return tl::unexpected(files.error());
    gpus.push_back(blank);
    gpus.back().files = std::move(*files);
    return gpus;
  }
  const std::string* file = line.find("file");
  if (file == nullptr) return fail("a GPU of gres.conf has no File=");
  const auto files = expand_hostlist(*file, kMaxDevices);
  if (!files) return tl::unexpected(files.error());
  for (const std::string& each : *files) {
    gpus.push_back(blank);
    gpus.back().files.push_back(each);
  }
  return gpus;
}

Result<> sort_by_type(std::vector<GpuFiles>& gpus, std::string_view node_gres) {
  const bool one_type =
      std::ranges::all_of(gpus, [&](const GpuFiles& gpu) { return gpu.type == gpus.front().type; });
  if (one_type) return {};
  std::map<std::string, size_t> ranks;
  for (const Gres& gres : parse_gres(node_gres)) {
    if (gres.is_gpu()) ranks.try_emplace(gres.type, ranks.size());
  }
  for (const GpuFiles& gpu : gpus) {
    if (!ranks.contains(gpu.type)) {
      return fail(
          fmt::format("slurm.conf does not tell where type '{}' stands among the node's "
                      "GPUs",
                      gpu.type));
    }
  }
  std::ranges::stable_sort(gpus, {}, [&](const GpuFiles& gpu) { return ranks.at(gpu.type); });
  return {};
}

}  // namespace

NodeConf node_conf(std::span<const ConfLine> slurm_conf, std::string_view node) {
  NodeConf conf;
  std::string default_gres;
  for (const ConfLine& line : slurm_conf) {
    if (const std::string* cluster = line.find("clustername")) conf.cluster = *cluster;
    const std::string* nodes = line.find("nodename");
    if (nodes == nullptr) continue;
    const std::string* gres = line.find("gres");
    if (equal_ignoring_case(*nodes, "default")) {
      if (gres != nullptr) default_gres = *gres;
    } else if (position_in_hostlist(*nodes, node)) {
      conf.known = true;
      conf.gres = gres != nullptr ? *gres : default_gres;
    }
  }
  return conf;
}

std::optional<std::string> node_of_host(std::span<const ConfLine> slurm_conf,
                                        std::string_view host) {
  for (const ConfLine& line : slurm_conf) {
    const std::string* nodes = line.find("nodename");
    const std::string* hosts = line.find("nodehostname");
    if (nodes == nullptr || hosts == nullptr) continue;
    const auto position = position_in_hostlist(*hosts, host);
    if (!position) continue;
    auto names = expand_hostlist(*nodes, kMaxNodes);
    if (names && *position < names->size()) return std::move((*names)[*position]);
  }
  return std::nullopt;
}

Result<std::vector<GpuFiles>> gpus_of_node(std::span<const ConfLine> gres_conf,
                                           const NodeConf& node, std::string_view node_name) {
  std::vector<GpuFiles> gpus;
  for (const ConfLine& line : gres_conf) {
    const std::string* name = line.find("name");
    if (name == nullptr || *name != "gpu" || !concerns(line, node_name)) continue;
    auto more = gpus_of_line(line);
    if (!more) return more;
    std::ranges::move(*more, std::back_inserter(gpus));
    if (gpus.size() > kMaxDevices) return fail("gres.conf gives the node too many GPUs");
  }
  if (detects(gres_conf, node_name)) {
    return fail("slurmd detects the node's GPUs itself (AutoDetect=)");
  }
  if (gpus.empty()) return gpus;
  if (auto sorted = sort_by_type(gpus, node.gres); !sorted) return tl::unexpected(sorted.error());
  return gpus;
}

Result<std::vector<GpuFiles>> parse_slurmd_gres(std::string_view text) {
  constexpr std::string_view kMark = "Gres Name=gpu ";
  std::vector<GpuFiles> gpus;
  bool any = false;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    any = any || line.find("Gres Name=") != std::string_view::npos;
    const size_t mark = line.find(kMark);
    if (mark == std::string_view::npos) continue;
    line.remove_prefix(mark + kMark.size());
    GpuFiles gpu;
    std::optional<size_t> count;
    while (!line.empty()) {
      const std::string_view word = next_word(line);
      if (word.starts_with("Type=")) gpu.type = word.substr(5);
      if (word.starts_with("Count=")) count = to_number<size_t>(word.substr(6));
      if (!word.starts_with("File=")) continue;
      auto files = expand_hostlist(word.substr(5), kMaxDevices);
      if (!files) return tl::unexpected(files.error());
      gpu.files = std::move(*files);
    }
    if (gpu.type == "(null)") gpu.type.clear();
    if (gpu.files.empty()) return fail("slurmd knows no file of a GPU");
    // One device of several files, or as many devices as files.
    if (count == 1U) {
      gpus.push_back(std::move(gpu));
    } else if (count == gpu.files.size()) {
      for (std::string& file : gpu.files) gpus.push_back({gpu.type, {std::move(file)}});
    } else {
      return fail("slurmd's files of GPUs are not as many as its GPUs");
    }
    if (gpus.size() > kMaxDevices) return fail("slurmd gives the node too many GPUs");
  }
  if (!any) return fail("slurmd -G tells of no resources");
  return gpus;
}

}  // namespace warpsight::slurm

#include "sources/slurm/job_cgroups.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>

#include "platform/file.h"
#include "sources/sysfs/text.h"

namespace warpsight::slurm {
namespace {

constexpr size_t kMaxJobs = 4096;
constexpr size_t kMaxUsers = 4096;
constexpr size_t kMaxEntries = 65'536;

// Where Slurm's own cgroup may stand: at the top (v2), in a slice, or in a controller's hierarchy
// (v1).
constexpr std::array<std::string_view, 13> kPlaces = {
    "",
    "/system.slice",
    "/unified",
    "/unified/system.slice",
    "/freezer",
    "/devices",
    "/memory",
    "/cpuset",
    "/cpuacct",
    "/cpu,cpuacct",
    "/cpu",
    "/pids",
    "/systemd/system.slice",
};

// Calls fn(name, inode) for each folder in `path`; false when there is no such folder.
template <typename Fn>
bool for_each_folder(const std::string& path, Fn&& fn) {
  struct Closer {
    void operator()(DIR* stream) const { closedir(stream); }
  };
  const std::unique_ptr<DIR, Closer> stream(opendir(path.c_str()));
  if (!stream) return false;
  for (size_t entries = 0; entries < kMaxEntries; ++entries) {
    const dirent* entry = readdir(stream.get());  // NOLINT(concurrency-mt-unsafe): own stream
    if (entry == nullptr) break;
    if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) continue;
    if (entry->d_name[0] != '.') fn(std::string_view(entry->d_name), entry->d_ino);
  }
  return true;
}

std::optional<uint64_t> number_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  return to_number<uint64_t>(name.substr(prefix.size()));
}

// The node in "slurm_NODE" or "NODE_slurmstepd.scope"; empty in "slurm" and "slurmstepd.scope",
// nothing in any other name.
std::optional<std::string_view> node_in(std::string_view name) {
  constexpr std::string_view kScope = "slurmstepd.scope";
  if (name == "slurm" || name == kScope) return "";
  if (name.starts_with("slurm_")) return name.substr(6);
  if (name.ends_with(kScope)) {
    name.remove_suffix(kScope.size());
    if (name.ends_with('_')) return name.substr(0, name.size() - 1);
  }
  return std::nullopt;
}

// Calls fn(path, node) for each cgroup under which Slurm keeps its jobs.
template <typename Fn>
void for_each_top(std::string_view root, Fn&& fn) {
  const std::string base = under_root(root, "/sys/fs/cgroup");
  for (const std::string_view place : kPlaces) {
    const std::string folder = base + std::string(place);
    for_each_folder(folder, [&](std::string_view name, ino_t) {
      if (const auto node = node_in(name)) fn(fmt::format("{}/{}", folder, name), *node);
    });
  }
}

// Whether a process is in a cgroup or in one below it; true where that cannot be read.
bool has_processes(const std::string& cgroup, int depth = 0) {
  constexpr int kDeepest = 4;  // job, step, "user", task
  const auto listed = read_file(cgroup + "/cgroup.procs");
  if (!listed || !listed->empty()) return true;
  if (depth == kDeepest) return false;
  bool found = false;
  for_each_folder(cgroup, [&](std::string_view name, ino_t) {
    found = found || has_processes(fmt::format("{}/{}", cgroup, name), depth + 1);
  });
  return found;
}

class JobScan {
 public:
  void scan(const std::string& top) {
    std::vector<std::string> users;
    const size_t place = std::hash<std::string>()(top);
    for_each_folder(top, [&](std::string_view name, ino_t inode) {
      if (number_after(name, "uid_") && users.size() < kMaxUsers) {
        users.push_back(fmt::format("{}/{}", top, name));
      }
      take(top, name, inode, place);
    });
    for (const std::string& user : users) {
      for_each_folder(user,
                      [&](std::string_view name, ino_t inode) { take(user, name, inode, place); });
    }
  }

  std::vector<JobRun> runs() && {
    std::vector<JobRun> all;
    all.reserve(jobs_.size());
    for (auto& [job, run] : jobs_) all.push_back(std::move(run));
    return all;
  }

 private:
  void take(const std::string& folder, std::string_view name, ino_t inode, size_t place) {
    const auto job = number_after(name, "job_");
    if (!job || (jobs_.size() >= kMaxJobs && !jobs_.contains(*job))) return;
    JobRun& run = jobs_.try_emplace(*job, JobRun{.job = *job, .empty = true}).first->second;
    run.marks.push_back(place ^ static_cast<uint64_t>(inode));
    if (run.empty) run.empty = !has_processes(fmt::format("{}/{}", folder, name));
  }

  std::map<uint64_t, JobRun> jobs_;
};

}  // namespace

std::optional<std::vector<JobRun>> list_job_cgroups(std::string_view root,
                                                    std::string_view node_name) {
  JobScan scan;
  bool any = false;
  for_each_top(root, [&](const std::string& top, std::string_view node) {
    if (!node.empty() && node != node_name) return;
    any = true;
    scan.scan(top);
  });
  if (!any) return std::nullopt;
  return std::move(scan).runs();
}

std::vector<std::string> nodes_with_cgroups(std::string_view root) {
  std::vector<std::string> nodes;
  for_each_top(root, [&](const std::string&, std::string_view node) {
    if (!node.empty() && std::ranges::find(nodes, node) == nodes.end()) nodes.emplace_back(node);
  });
  return nodes;
}

}  // namespace warpsight::slurm

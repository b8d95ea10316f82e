#include "sources/processes/cgroup_path.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sources/sysfs/text.h"

namespace warpsight::processes {
namespace {

constexpr size_t kContainerIdSize = 64;
constexpr size_t kConfigHashSize = 32;
constexpr size_t kUuidSize = 36;
constexpr size_t kMaxNameSize = 64;
constexpr size_t kMaxDepth = 64;

struct RuntimeName {
  std::string_view prefix;
  std::string_view runtime;
  bool kubernetes;
};
constexpr std::array kRuntimes = {
    RuntimeName{"cri-containerd", "containerd", true},
    RuntimeName{"crio", "cri-o", true},
    RuntimeName{"docker", "docker", false},
    RuntimeName{"libpod", "podman", false},
    RuntimeName{"libpod-payload", "podman", false},
    RuntimeName{"nerdctl", "containerd", false},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// With dashes, whatever stands between the groups; empty when it is no uid.
std::string pod_uid(std::string_view text, char separator) {
  if (text.size() == kConfigHashSize) {
    return std::ranges::all_of(text, is_hex) ? std::string(text) : std::string();
  }
  if (text.size() != kUuidSize) return {};
  std::string uid(text);
  for (size_t i = 0; i < uid.size(); ++i) {
    const bool between = i == 8 || i == 13 || i == 18 || i == 23;
    if (between ? uid[i] != separator : !is_hex(uid[i])) return {};
    if (between) uid[i] = '-';
  }
  return uid;
}

// "kubepods-burstable-podUID", with whatever a nested kubelet puts in front.
std::string pod_of_slice(std::string_view slice) {
  constexpr std::string_view kRoot = "kubepods";
  const size_t root = slice.find(kRoot);
  if (root == std::string_view::npos || (root != 0 && slice[root - 1] != '-')) return {};
  slice.remove_prefix(root + kRoot.size());
  (void)(take_prefix(slice, "-burstable") || take_prefix(slice, "-besteffort") ||
         take_prefix(slice, "-guaranteed"));
  return take_prefix(slice, "-pod") ? pod_uid(slice, '_') : std::string();
}

bool is_lxc_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameSize && !text.starts_with('.') &&
         std::ranges::all_of(text, [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                  c == '_' || c == '.';
         });
}

// Of cgroup v1, with the node's name where several slurmd share a machine.
bool is_slurm_cluster(std::string_view name) {
  return name == "slurm" || name.starts_with("slurm_");
}

// Of cgroup v2.
bool is_slurm_scope(std::string_view name) {
  return name == "slurmstepd.scope" || name.ends_with("_slurmstepd.scope");
}

// "0", and "0.1" or "0+1" of a heterogeneous step.
bool is_step(std::string_view text) {
  if (text == "batch" || text == "extern" || text == "interactive") return true;
  if (text.size() > 2 * 10 + 1) return false;
  const size_t cut = text.find_first_of(".+");
  return all_digits(text.substr(0, cut)) &&
         (cut == std::string_view::npos || all_digits(text.substr(cut + 1)));
}

// Goes down a path and takes what each group's name tells.
class Walk {
 public:
  CgroupOwner go(std::string_view path) {
    for (size_t depth = 0; depth < kMaxDepth && !path.empty(); ++depth) {
      const size_t slash = path.find('/');
      const std::string_view name = path.substr(0, slash);
      path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
      if (!name.empty()) visit(name);
    }
    return std::move(owner_);
  }

 private:
  enum class Slurm : uint8_t { outside, cluster, user, scope, job, done };

  void visit(std::string_view name) {
    if (name == "..") {
      above_namespace_ = true;
    } else {
      owner_.path_seen = true;
      // What lies in a user's own tree is named as the user likes.
      users_own_ = users_own_ || name == "user.slice";
      if (!users_own_) {
        // A Slurm inside a pod or a container is not this machine's.
        if (owner_.pod_uid.empty() && owner_.container_id.empty()) visit_slurm(name);
        visit_pod(name);
      }
      visit_container(name);
    }
    previous_ = name;
  }

  void visit_slurm(std::string_view name) {
    switch (slurm_) {
      case Slurm::outside:
        if (is_slurm_cluster(name)) slurm_ = Slurm::cluster;
        if (is_slurm_scope(name)) slurm_ = Slurm::scope;
        break;
      case Slurm::cluster: {
        const auto uid = take_prefix(name, "uid_") && all_digits(name) ? to_number<uint32_t>(name)
                                                                       : std::nullopt;
        slurm_ = uid ? Slurm::user : Slurm::outside;
        user_ = uid;
        break;
      }
      case Slurm::user:
      case Slurm::scope:
        if (take_prefix(name, "job_") && is_slurm_job(name)) {
          owner_.slurm_job = name;
          owner_.slurm_uid = user_;
          slurm_ = Slurm::job;
        } else {
          slurm_ = Slurm::outside;
        }
        break;
      case Slurm::job:
        if (take_prefix(name, "step_") && is_step(name)) owner_.slurm_step = name;
        slurm_ = Slurm::done;
        break;
      case Slurm::done: break;
    }
  }

  void visit_pod(std::string_view name) {
    if (!owner_.pod_uid.empty()) return;
    const std::string_view group = name;
    // A containerd that was told the systemd driver's names but uses the other driver.
    if (const size_t colon = name.find(':'); colon != std::string_view::npos) {
      name = name.substr(0, colon);
    }
    std::string uid;
    if (take_suffix(name, ".slice")) {
      uid = pod_of_slice(name);
    } else if (previous_ == "kubepods" || previous_ == "burstable" || previous_ == "besteffort" ||
               (previous_ == ".." && above_namespace_)) {
      if (take_prefix(name, "pod")) uid = pod_uid(name, '-');
    }
    if (uid.empty()) return;
    owner_.pod_uid = std::move(uid);
    pod_group_ = group;
    owner_.kubernetes = true;
    // The container around a nested kubelet is not the pod's.
    owner_.container_id.clear();
    owner_.runtime.clear();
  }

  void visit_container(std::string_view name) {
    if (!owner_.container_id.empty()) return;
    // A pod's containers are right below it.
    if (!owner_.pod_uid.empty() && previous_ != pod_group_ && name != pod_group_) return;
    if (const size_t colon = name.find(':'); colon != std::string_view::npos) {
      name.remove_prefix(colon + 1);
      take_container(name, ':');
      return;
    }
    if (previous_ == "lxc" || previous_ == "lxc.payload") {
      take_lxc(name);
      return;
    }
    if (take_prefix(name, "lxc.payload.")) {
      take_lxc(name);
      return;
    }
    take_suffix(name, ".scope");
    if (is_container_id(name)) {
      take_id(name, previous_ == "docker" ? "docker" : "");
      return;
    }
    take_container(name, '-');
  }

  // "docker-ID", "cri-containerd:ID".
  void take_container(std::string_view name, char separator) {
    if (name.size() <= kContainerIdSize + 1) return;
    const std::string_view id = name.substr(name.size() - kContainerIdSize);
    name.remove_suffix(kContainerIdSize);
    if (!is_container_id(id) || name.back() != separator) return;
    name.remove_suffix(1);
    const auto* const known = std::ranges::find(kRuntimes, name, &RuntimeName::prefix);
    if (known == kRuntimes.end()) return;
    take_id(id, known->runtime);
    owner_.kubernetes = owner_.kubernetes || (known->kubernetes && !users_own_);
  }

  void take_lxc(std::string_view name) {
    if (is_lxc_name(name)) take_id(name, "lxc");
  }

  void take_id(std::string_view id, std::string_view runtime) {
    owner_.container_id = id;
    owner_.runtime = runtime;
    owner_.users_container = users_own_;
  }

  CgroupOwner owner_;
  std::string_view previous_;
  std::string_view pod_group_;
  Slurm slurm_ = Slurm::outside;
  std::optional<uint32_t> user_;
  bool users_own_ = false;
  bool above_namespace_ = false;
};

// What all lines say of one kind of owner: who it is, and a detail that not all of them know.
class Agreement {
 public:
  Agreement(std::string CgroupOwner::* key, std::string CgroupOwner::* detail)
      : key_(key), detail_(detail) {}

  void hear(const CgroupOwner& said) {
    if ((said.*key_).empty()) return;
    if ((said_.*key_).empty()) {
      said_ = said;
    } else if (said_.*key_ != said.*key_) {
      broken_ = true;
    } else if ((said_.*detail_).empty()) {
      said_ = said;
    } else if (!(said.*detail_).empty() && said_.*detail_ != said.*detail_) {
      vague_ = true;
    }
  }

  bool heard() const { return !(said_.*key_).empty(); }
  bool broken() const { return broken_; }
  // Nothing when the lines do not agree.
  CgroupOwner agreed() const {
    if (broken_) return {};
    CgroupOwner owner = said_;
    if (vague_) (owner.*detail_).clear();
    return owner;
  }

 private:
  std::string CgroupOwner::* key_;
  std::string CgroupOwner::* detail_;
  CgroupOwner said_;
  bool broken_ = false;
  bool vague_ = false;
};

}  // namespace

bool is_slurm_root(std::string_view name) { return is_slurm_cluster(name) || is_slurm_scope(name); }

bool is_slurm_job(std::string_view text) {
  return all_digits(text) && text.size() <= 10 && text.front() != '0';
}

bool is_container_id(std::string_view text) {
  return text.size() == kContainerIdSize && std::ranges::all_of(text, is_hex);
}

CgroupOwner parse_cgroup_path(std::string_view path) { return Walk().go(path); }

CgroupOwner parse_cgroup(std::string_view text) {
  Agreement pod(&CgroupOwner::pod_uid, &CgroupOwner::container_id);
  Agreement container(&CgroupOwner::container_id, &CgroupOwner::runtime);
  Agreement users_container(&CgroupOwner::container_id, &CgroupOwner::runtime);
  Agreement job(&CgroupOwner::slurm_job, &CgroupOwner::slurm_step);
  bool path_seen = false;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    // "4:cpu,cpuacct:/path", where the path may hold colons.
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos || !all_digits(line.substr(0, first))) continue;
    const CgroupOwner said = parse_cgroup_path(line.substr(second + 1));
    path_seen = path_seen || said.path_seen;
    job.hear(said);
    pod.hear(said);
    if (said.pod_uid.empty()) (said.users_container ? users_container : container).hear(said);
  }
  // What a user named counts only where nobody else named anything.
  const Agreement& held = pod.heard() ? pod : (container.heard() ? container : users_container);
  CgroupOwner owner = held.agreed();
  if (owner.container_id.empty()) owner.runtime.clear();
  CgroupOwner at_work = job.agreed();
  owner.slurm_job = std::move(at_work.slurm_job);
  owner.slurm_step = std::move(at_work.slurm_step);
  owner.slurm_uid = at_work.slurm_uid;
  owner.path_seen = path_seen;
  owner.contradictory = held.broken() || job.broken();
  return owner;
}

}  // namespace warpsight::processes

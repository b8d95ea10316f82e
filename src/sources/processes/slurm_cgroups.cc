#include "sources/processes/slurm_cgroups.h"

#include <fmt/format.h>

#include "platform/file.h"
#include "sources/processes/cgroup_path.h"
#include "sources/sysfs/directory.h"

namespace warpsight::processes {
namespace {

bool holds_slurm_group(std::string folder) {
  bool found = false;
  (void)Directory(std::move(folder)).for_each([&](std::string_view name) {
    found = found || is_slurm_root(name);
  });
  return found;
}

// Of cgroup v1 right below a controller, of v2 in the slice of the system.
bool look(const std::string& groups) {
  bool found = false;
  (void)Directory(groups).for_each([&](std::string_view name) {
    found = found || holds_slurm_group(fmt::format("{}/{}", groups, name));
  });
  return found;
}

}  // namespace

SlurmCgroups::SlurmCgroups(const Clock& clock, std::string_view root)
    : clock_(clock), groups_(under_root(root, "/sys/fs/cgroup")) {}

bool SlurmCgroups::there() {
  const SteadyTime now = clock_.steady();
  if (now < look_at_) return there_;
  look_at_ = now + kLookAgain;
  there_ = look(groups_);
  return there_;
}

}  // namespace warpsight::processes

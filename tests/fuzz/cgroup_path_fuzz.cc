// /proc/PID/cgroup: whatever the bytes, what is told is an id of the right form or nothing.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sources/processes/cgroup_path.h"

namespace {

using warpsight::processes::CgroupOwner;

void require(bool holds) {
  if (!holds) std::abort();
}

bool made_of(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

void check(const CgroupOwner& owner, std::string_view input) {
  require(owner.pod_uid.empty() || owner.pod_uid.size() == 36 || owner.pod_uid.size() == 32);
  require(made_of(owner.pod_uid, "0123456789abcdef-"));
  require(owner.pod_uid.empty() || owner.kubernetes);
  if (owner.runtime == "lxc") {
    require(!owner.container_id.empty() && owner.container_id.size() <= 64);
  } else {
    require(owner.container_id.empty() ||
            warpsight::processes::is_container_id(owner.container_id));
  }
  require(input.find(owner.container_id) != std::string_view::npos);
  require(made_of(owner.slurm_job, "0123456789") && owner.slurm_job.size() <= 10);
  require(owner.slurm_step.size() <= 21);
  require(!owner.slurm_job.empty() || (owner.slurm_step.empty() && !owner.slurm_uid));
  const bool told =
      !(owner.pod_uid.empty() && owner.container_id.empty() && owner.slurm_job.empty());
  require(!told || owner.path_seen);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(warpsight::processes::parse_cgroup(bytes), bytes);
  check(warpsight::processes::parse_cgroup_path(bytes), bytes);
  return 0;
}

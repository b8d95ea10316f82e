#include "core/ownership.h"

namespace warpsight {

std::string_view to_string(OwnerKind kind) {
  switch (kind) {
    case OwnerKind::pod: return "pod";
    case OwnerKind::slurm_job: return "slurm_job";
    case OwnerKind::container: return "container";
    case OwnerKind::process: return "process";
  }
  return "process";
}

}  // namespace warpsight

#include "identity/owner_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "identity/accounts.h"

namespace warpsight::identity {
namespace {

constexpr size_t kShortId = 12;

std::string_view value_of(const KnownOwner& owner, std::string_view key) {
  const auto found = std::ranges::find(owner.attributes, key, &Attribute::key);
  return found == owner.attributes.end() ? std::string_view{} : std::string_view(found->value);
}

std::string pod_name(const KnownOwner& owner) {
  const std::string_view pod = value_of(owner, "k8s.pod.name");
  if (pod.empty()) {
    return fmt::format("pod {}, container {}", value_of(owner, "k8s.pod.uid"),
                       value_of(owner, "container.id").substr(0, kShortId));
  }
  return fmt::format("{}/{}/{}", value_of(owner, "k8s.namespace.name"), pod,
                     value_of(owner, "k8s.container.name"));
}

std::string job_name(const KnownOwner& owner) {
  std::string out = fmt::format("Slurm job {}", value_of(owner, "slurm.job.id"));
  if (const auto name = value_of(owner, "slurm.job.name"); !name.empty()) {
    out += fmt::format(" ({})", name);
  }
  if (const auto user = value_of(owner, "slurm.user"); !user.empty()) {
    out += fmt::format(" of {}", user);
  }
  return out;
}

}  // namespace

std::string name_of(const KnownOwner& owner) {
  switch (owner.kind) {
    case OwnerKind::pod: return pod_name(owner);
    case OwnerKind::slurm_job: return job_name(owner);
    case OwnerKind::container: {
      const std::string_view name = value_of(owner, "container.name");
      return fmt::format("container {}",
                         name.empty() ? value_of(owner, "container.id").substr(0, kShortId) : name);
    }
    case OwnerKind::process: break;
  }
  return fmt::format("{}[{}]", value_of(owner, "process.executable.name"),
                     value_of(owner, "process.pid"));
}

std::string tenant_of(const KnownOwner& owner, std::span<const std::string> rule) {
  for (const std::string& key : rule) {
    for (const std::string_view value : {value_of(owner, key), value_of(owner, "." + key)}) {
      if (!value.empty()) return std::string(value);
    }
  }
  return {};
}

double current(const Series& series) { return series.published ? series.value : series.last; }

std::optional<double> memory_of(const View& view, const Joined& joined, const Tenure& tenure) {
  double sum = 0;
  for (const size_t use : tenure.uses) {
    const Series* memory =
        view.find_live(Metric::gpu_process_memory_used, joined.uses[use].process);
    if (memory == nullptr) return std::nullopt;
    sum += memory->last;
  }
  return sum;
}

std::optional<double> utilization_of(const View& view, const Joined& joined, const Tenure& tenure) {
  if (joined.sole(tenure.device) == &tenure) {
    const Series* busy = busy_meter(view, joined.devices.all()[tenure.device]);
    return busy == nullptr ? std::nullopt : std::optional(current(*busy));
  }
  // A holder without processes does nothing.
  if (tenure.uses.empty()) return 0;
  std::optional<double> sum;
  view.for_each_live(Metric::gpu_process_utilization, [&](const Series& series) {
    const EntityId process = view.entities().wearer(series.entity);
    const bool own = std::ranges::any_of(
        tenure.uses, [&](size_t use) { return joined.uses[use].process == process; });
    if (!own || view.entities().attribute(series.entity, "gpu.task.type") != "compute") return;
    sum = sum.value_or(0) + current(series);
  });
  return sum;
}

}  // namespace warpsight::identity

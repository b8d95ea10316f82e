#include "identity/owner_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "identity/accounts.h"

namespace warpsight::identity {
namespace {

constexpr size_t kShortId = 12;

std::string pod_name(const KnownOwner& owner) {
  const std::string_view pod = owner.attribute("k8s.pod.name");
  if (pod.empty()) {
    return fmt::format("pod {}, container {}", owner.attribute("k8s.pod.uid"),
                       owner.attribute("container.id").substr(0, kShortId));
  }
  return fmt::format("{}/{}/{}", owner.attribute("k8s.namespace.name"), pod,
                     owner.attribute("k8s.container.name"));
}

std::string job_name(const KnownOwner& owner) {
  std::string out = fmt::format("Slurm job {}", owner.attribute("slurm.job.id"));
  if (const auto name = owner.attribute("slurm.job.name"); !name.empty()) {
    out += fmt::format(" ({})", name);
  }
  if (const auto user = owner.attribute("slurm.user"); !user.empty()) {
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
      const std::string_view name = owner.attribute("container.name");
      return fmt::format("container {}",
                         name.empty() ? owner.attribute("container.id").substr(0, kShortId) : name);
    }
    case OwnerKind::process: break;
  }
  return fmt::format("{}[{}]", owner.attribute("process.executable.name"),
                     owner.attribute("process.pid"));
}

std::string tenant_of(const KnownOwner& owner, std::span<const std::string> rule) {
  for (const std::string& key : rule) {
    for (const std::string_view value : {owner.attribute(key), owner.attribute("." + key)}) {
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

ProcessShares process_shares(const View& view) {
  ProcessShares shares;
  view.for_each_live(Metric::gpu_process_utilization, [&](const Series& series) {
    if (view.entities().attribute(series.entity, "gpu.task.type") != "compute") return;
    shares.emplace(view.entities().wearer(series.entity).bits, current(series));
  });
  return shares;
}

std::optional<double> utilization_of(const View& view, const Joined& joined, const Tenure& tenure,
                                     const ProcessShares& shares) {
  if (joined.sole(tenure.device) == &tenure) {
    const Series* busy = busy_meter(view, joined.devices.all()[tenure.device]);
    return busy == nullptr ? std::nullopt : std::optional(current(*busy));
  }
  // A holder without processes does nothing.
  if (tenure.uses.empty()) return 0;
  std::optional<double> sum;
  for (const size_t use : tenure.uses) {
    const auto share = shares.find(joined.uses[use].process.bits);
    if (share != shares.end()) sum = sum.value_or(0) + share->second;
  }
  return sum;
}

}  // namespace warpsight::identity

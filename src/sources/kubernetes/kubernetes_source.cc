#include "sources/kubernetes/kubernetes_source.h"

#include <string>
#include <utility>

#include "runtime/log.h"
#include "sources/kubernetes/kubelet_devices.h"
#include "sources/kubernetes/pod_owners.h"
#include "sources/kubernetes/settings.h"

namespace warpsight::kubernetes {
namespace {

// For metadata on its way. The first run has the time that an answer may take; a run a second
// leaves the rest to the next.
constexpr Duration kPatience = std::chrono::milliseconds{200};

class KubernetesSource final : public Source {
 public:
  KubernetesSource(const SourceContext& context, std::unique_ptr<Metadata> metadata,
                   KubeletDevices kubelet, PodOwners owners)
      : clock_(context.clock),
        entities_(context.entities),
        metadata_(std::move(metadata)),
        kubelet_(std::move(kubelet)),
        owners_(std::move(owners)),
        patience_(context.options.duration("timeout")) {}

  Result<> collect(Batch& out) override {
    const bool metadata_changed = metadata_->advance(std::exchange(patience_, kPatience));
    tell_problem();
    const uint64_t processes = entities_.changes(EntityKind::process);
    const bool wanted = metadata_changed || processes != processes_ || owners_.wants_list();
    processes_ = processes;

    const KubeletDevices::News news = kubelet_.refresh(wanted);
    bool changed = metadata_changed || news.changed;
    const SteadyTime now = clock_.steady();
    if (news.answered && owners_.listed(kubelet_.pods(), *metadata_, now)) changed = true;
    if (changed || now >= owners_.next_change() || failing() != told_failing_) tell(out, now);
    if (const auto& failure = kubelet_.failure()) return tl::unexpected(*failure);
    return {};
  }

  void retire(Batch& out) override { out.ownership = std::make_shared<Ownership>(); }

 private:
  bool failing() const { return kubelet_.failure().has_value(); }

  void tell(Batch& out, SteadyTime now) {
    Ownership known = owners_.tell(kubelet_.pods(), kubelet_.allocatable(), *metadata_, now);
    if (known.says_as(*told_) && failing() == told_failing_) return;
    for (auto& list : {kubelet_.lookups(), metadata_->lookups()}) {
      known.lookups.insert(known.lookups.end(), list.begin(), list.end());
    }
    told_ = std::make_shared<Ownership>(std::move(known));
    told_failing_ = failing();
    out.ownership = told_;
  }

  void tell_problem() {
    std::string problem = metadata_->problem();
    if (problem == problem_) return;
    problem_ = std::move(problem);
    if (problem_.empty()) {
      log_info("kubernetes: metadata is whole");
    } else {
      log_warn("kubernetes: metadata is incomplete", {{"problem", problem_}});
    }
  }

  const Clock& clock_;
  EntityTable& entities_;
  std::unique_ptr<Metadata> metadata_;
  KubeletDevices kubelet_;
  PodOwners owners_;
  Duration patience_;
  uint64_t processes_ = 0;
  std::string problem_;
  std::shared_ptr<const Ownership> told_ = std::make_shared<Ownership>();
  bool told_failing_ = false;
};

}  // namespace

Result<std::unique_ptr<Source>> make_with(const SourceContext& context,
                                          std::unique_ptr<Metadata> metadata) {
  const Options& options = context.options;
  auto ids = DeviceIds::make(options.map("resources"));
  if (!ids) return tl::unexpected(ids.error());
  auto address = pod_resources_address(context);
  if (!address) return tl::unexpected(address.error());
  auto client = PodResourcesClient::make(*address, options.duration("timeout"));
  if (!client) return tl::unexpected(client.error());
  PodOwnerSettings settings{.labels = options.list("pod_labels")};
  if (options.text("metadata") == "none") settings.metadata_patience = Duration::zero();
  return std::make_unique<KubernetesSource>(
      context, std::move(metadata),
      KubeletDevices(std::move(*client), context.clock, options.duration("poll")),
      PodOwners(std::move(settings), std::move(*ids)));
}

}  // namespace warpsight::kubernetes

#include "sources/kubernetes/api/auto_metadata.h"

#include <algorithm>
#include <utility>

#include "sources/kubernetes/api/replace.h"

namespace warpsight::kubernetes {
namespace {

using Standing = ListWatch::Standing;

constexpr Duration kWaitForApi = std::chrono::seconds{10};

}  // namespace

AutoMetadata::AutoMetadata(Result<std::unique_ptr<ApiMetadata>> api,
                           std::unique_ptr<KubeletMetadata> kubelet, const Clock& clock)
    : api_(api ? std::move(*api) : nullptr),
      api_problem_(api ? "" : describe(api.error())),
      kubelet_(std::move(kubelet)),
      clock_(clock),
      good_last_(clock.steady()),
      use_kubelet_(api_ == nullptr) {}

bool AutoMetadata::api_is_out(SteadyTime now) {
  const Standing standing = api_->standing();
  if (standing == Standing::good) {
    good_last_ = now;
    return false;
  }
  const bool refused = standing == Standing::forbidden || standing == Standing::unauthorized ||
                       standing == Standing::absent;
  return refused || now - good_last_ >= kWaitForApi;
}

bool AutoMetadata::advance(Duration patience) {
  const SteadyTime start = SystemClock().steady();
  bool changed = false;
  if (api_ != nullptr) {
    changed = api_->advance(use_kubelet_ ? patience / 2 : patience);
    changed = replace(use_kubelet_, api_is_out(clock_.steady())) || changed;
  }
  if (use_kubelet_) {
    const Duration left = patience - (SystemClock().steady() - start);
    changed = kubelet_->advance(std::max(left, Duration::zero())) || changed;
  }
  const bool knows =
      (api_ != nullptr && api_->synced()) || (use_kubelet_ && kubelet_->asked().settled());
  return replace(synced_, synced_ || knows) || changed;
}

// What the server said before it fell silent is worth more than nothing.
const Metadata& AutoMetadata::current() const {
  const bool fall_back =
      use_kubelet_ && (kubelet_->asked().good() || api_ == nullptr || !api_->synced());
  if (fall_back) return *kubelet_;
  return *api_;
}

const std::vector<Attribute>& AutoMetadata::node() const {
  return api_ != nullptr ? api_->node() : kubelet_->node();
}

std::optional<DeviceName> AutoMetadata::device(std::string_view driver, std::string_view pool,
                                               std::string_view device) const {
  return api_ != nullptr ? api_->device(driver, pool, device) : std::nullopt;
}

std::vector<Lookup> AutoMetadata::lookups() const {
  std::vector<Lookup> all = kubelet_->lookups();
  if (api_ == nullptr) return all;
  for (Lookup& lookup : api_->lookups()) all.push_back(std::move(lookup));
  return all;
}

std::string AutoMetadata::problem() const {
  const std::string api = api_ != nullptr ? api_->problem() : api_problem_;
  const std::string kubelet = use_kubelet_ ? kubelet_->problem() : "";
  if (api.empty() || kubelet.empty()) return api + kubelet;
  return api + " | " + kubelet;
}

}  // namespace warpsight::kubernetes

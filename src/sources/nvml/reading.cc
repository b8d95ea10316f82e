#include "sources/nvml/reading.h"

#include <algorithm>
#include <cassert>

namespace warpsight::nvml {

Outcome classify(abi::Return result) {
  using enum abi::Return;
  switch (result) {
    case success: return Outcome::ok;
    case not_supported:
    case function_not_found:
    case vgpu_ecc_not_supported:
    case freq_not_supported:
    case argument_version_mismatch:
    case deprecated: return Outcome::unsupported;
    case gpu_is_lost:
    case reset_required:
    case gpu_not_found: return Outcome::device_lost;
    case uninitialized:
    case driver_not_loaded:
    case lib_rm_version_mismatch: return Outcome::driver_gone;
    default: return Outcome::failed;
  }
}

Reading::Reading(std::initializer_list<Series> series)
    : count_(static_cast<uint8_t>(std::min(series.size(), kMaxSeries))) {
  assert(series.size() <= kMaxSeries);
  std::copy_n(series.begin(), count_, series_.begin());
}

void Reading::absent(Absence why, std::string_view detail, Batch& out) {
  const State next = why == Absence::unsupported ? State::unsupported : State::failed;
  if (state_ == next) return;
  state_ = next;
  for (size_t i = 0; i < count_; ++i) {
    out.missing(series_[i].metric, series_[i].entity, why, detail);
  }
}

}  // namespace warpsight::nvml

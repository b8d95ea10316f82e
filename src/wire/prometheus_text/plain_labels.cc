#include "wire/prometheus_text/plain_labels.h"

#include <array>

#ifdef __x86_64__
#include "wire/prometheus_text/plain_labels_x86.h"
#endif

namespace warpsight::prometheus_text {
namespace {

const char* labels_end_anywhere(const char* at, const char* end) {
  for (;;) {
    const char* close = plain_label(at, end).close;
    if (close == nullptr) return nullptr;
    if (close[1] == '}') return close + 2;
    if (close[1] != ',') return nullptr;
    at = close + 2;
  }
}

struct Choice {
  std::array<LabelScan, 3> all{{{"anywhere", &labels_end_anywhere}}};
  size_t count = 1;

  Choice() noexcept {
#ifdef __x86_64__
    if (has_avx2()) all[count++] = {"avx2", &labels_end_avx2};
    if (has_avx512()) all[count++] = {"avx512", &labels_end_avx512};
#endif
  }
};

const Choice kChoice;
const auto kFastest = kChoice.all[kChoice.count - 1].labels_end;

}  // namespace

std::span<const LabelScan> label_scans() { return {kChoice.all.data(), kChoice.count}; }

const char* many_plain_labels_end(const char* at, const char* end) { return kFastest(at, end); }

}  // namespace warpsight::prometheus_text

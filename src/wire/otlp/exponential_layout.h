// Explicit buckets turned into base-2 exponential ones. The whole count of an explicit bucket goes
// where the geometric middle of its range lies, so a value is told wrong by no more than the width
// of its explicit bucket, or of the exponential one where that is wider. Counts stay whole and
// never fall, and a histogram keeps its layout as long as it keeps its bounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace warpsight::otlp {

class ExponentialLayout {
 public:
  static constexpr int32_t kMaxBuckets = 160;

  ExponentialLayout() = default;
  // The finest scale at which no more than kMaxBuckets are needed. `bounds` rise and are finite.
  explicit ExponentialLayout(std::span<const double> bounds);

  // Bucket i holds values in (base^(offset+i), base^(offset+i+1)], base being 2^(2^-scale).
  int32_t scale() const { return scale_; }
  int32_t offset() const { return offset_; }

  // Fills `buckets`, whose memory is kept, and returns how many values are not above zero, as far
  // as the bounds tell. `counts` are one more than the bounds.
  uint64_t spread(std::span<const uint64_t> counts, std::vector<uint64_t>& buckets) const;

 private:
  static constexpr int32_t kZero = -1;

  int32_t scale_ = 0;
  int32_t offset_ = 0;
  int32_t size_ = 0;
  std::vector<int32_t> places_;  // of each explicit bucket; kZero: among the zeros
};

}  // namespace warpsight::otlp

// The bucket lines of one histogram series: their text up to the value, made once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight {

// The value of a bucket's label `le`: always with a point or an exponent, as OpenMetrics wants it;
// in the classic format and in remote write too, so that a series is the same one however it came.
std::string bound_text(double bound);

class BucketLines {
 public:
  // `labels` is "{a="1"}" or nothing.
  BucketLines(std::string_view name, std::string_view labels, std::span<const double> bounds);

  // Whether these are the lines of buckets with these bounds.
  bool fits(std::span<const double> bounds) const;

  // name_bucket{a="1",le="0.5"} and a blank; the one after the last bound is of le="+Inf".
  std::string_view operator[](size_t bucket) const;

 private:
  std::vector<double> bounds_;
  std::string text_;
  std::vector<uint32_t> ends_;
};

}  // namespace warpsight

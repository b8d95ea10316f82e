#include "sinks/prometheus/bucket_lines.h"

#include <algorithm>

#include "sinks/prometheus/page_format.h"
#include "wire/number.h"

namespace warpsight {
std::string bound_text(double bound) {
  std::string text;
  append_number(text, bound);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

BucketLines::BucketLines(std::string_view name, std::string_view labels,
                         std::span<const double> bounds)
    : bounds_(bounds.begin(), bounds.end()) {
  const std::string_view open_labels = labels.empty() ? "{" : labels.substr(0, labels.size() - 1);
  const auto add = [&](std::string_view bound) {
    text_.append(name).append("_bucket").append(open_labels);
    append_label(text_, "le", bound);
    text_ += "} ";
    ends_.push_back(static_cast<uint32_t>(text_.size()));
  };
  for (const double bound : bounds) add(bound_text(bound));
  add("+Inf");
}

bool BucketLines::fits(std::span<const double> bounds) const {
  return std::ranges::equal(bounds_, bounds);
}

std::string_view BucketLines::operator[](size_t bucket) const {
  const uint32_t begin = bucket == 0 ? 0 : ends_[bucket - 1];
  return std::string_view(text_).substr(begin, ends_[bucket] - begin);
}

}  // namespace warpsight

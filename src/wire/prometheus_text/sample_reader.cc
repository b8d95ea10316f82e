#include "wire/prometheus_text/sample_reader.h"

#include "wire/prometheus_text/plain_labels.h"

namespace warpsight::prometheus_text {
namespace {

constexpr int kLabelsLookedAt = 4;
constexpr size_t kManyLabels = 64;  // bytes

// How much of a series is that of another, of the same name, up to the first value that differs. 0
// where something else differs first, or what precedes the value is not plain.
size_t size_alike(const SampleView& sample, const char* other, size_t other_size) {
  const char* const first = sample.series.data();
  const char* const end = first + sample.series.size();
  const auto alike = [&](const char* to) {
    const auto size = static_cast<size_t>(to - first);
    return size <= other_size && same_bytes(first, other, size);
  };
  const char* at = first + sample.name.size();
  if (sample.quoted_name || at == end || *at != '{') return 0;
  for (int i = 0; i < kLabelsLookedAt; ++i) {
    const PlainLabel label = plain_label(at + 1, end);
    if (label.close == nullptr || !alike(label.value)) return 0;
    if (!alike(label.close + 1)) return static_cast<size_t>(label.value - first);
    at = label.close + 1;
    if (*at != ',') return 0;
  }
  return 0;
}

}  // namespace

// The end of a series that begins as the one before; null for another.
inline const char* SampleReader::read_alike(const char* at, SampleView& sample) const {
  if (alike_ == 0 || static_cast<size_t>(end_ - at) <= alike_) return nullptr;
  if (!same_bytes(at, before_, alike_)) return nullptr;
  const char* stop = find_string_byte(at + alike_, end_);
  if (end_ - stop < 2 || *stop != '"') return nullptr;
  if (stop[1] == '}') {
    stop += 2;
  } else {
    if (stop[1] != ',') return nullptr;
    const bool many = before_size_ - alike_ > kManyLabels;
    stop = many ? many_plain_labels_end(stop + 2, end_) : plain_labels_end(stop + 2, end_);
    if (stop == nullptr) return nullptr;
  }
  const char* labels = at + name_size_ + 1;
  sample.series = {at, static_cast<size_t>(stop - at)};
  sample.name = {at, name_size_};
  sample.labels = {labels, static_cast<size_t>(stop - 1 - labels)};
  sample.quoted_name = false;
  return stop;
}

// Two lines in a row teach what the third may have in common with them.
void SampleReader::remember(const SampleView& sample) {
  const char* series = sample.series.data();
  const size_t name_size = sample.quoted_name ? 0 : sample.name.size();
  const bool same_name =
      name_size > 0 && name_size == name_size_ && same_bytes(series, before_, name_size);
  const bool learns = alike_ == 0 && same_name;
  alike_ = learns ? size_alike(sample, before_, before_size_) : 0;
  before_ = series;
  before_size_ = sample.series.size();
  name_size_ = name_size;
}

Problem SampleReader::read(const char*& at, SampleView& sample) {
  const char* stop = read_alike(at, sample);
  if (stop == nullptr) {
    stop = at;
    const Problem problem = read_series(stop, end_, sample);
    if (problem != Problem::none) return problem;
    remember(sample);
  }
  const Problem problem = read_reading(stop, end_, format_, sample.reading);
  if (problem == Problem::none) at = stop;
  return problem;
}

}  // namespace warpsight::prometheus_text

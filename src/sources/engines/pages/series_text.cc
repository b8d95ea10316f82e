#include "sources/engines/pages/series_text.h"

#include <algorithm>

#include "wire/prometheus_text/line.h"

namespace warpsight::engines {
namespace {

uint64_t mix(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return (hash ^ 0xff) * 0x100000001b3ULL;
}

}  // namespace

void SeriesText::read(std::string_view series) {
  using namespace prometheus_text;
  labels_.clear();
  name_ = {};
  text_.assign(series).append(" 0");
  const char* at = text_.data();
  SampleView sample;
  if (read_sample(at, at + text_.size(), TextFormat::classic, sample) != Problem::none) return;
  for_each_label(sample.labels, [&](const LabelView& label) {
    if (label.value.empty()) return;
    labels_.push_back({undo_escapes(label.name), undo_escapes(label.value)});
  });
  name_ = sample.quoted_name ? undo_escapes(sample.name) : sample.name;
  std::ranges::stable_sort(labels_, {}, &LabelView::name);
}

// In place: what was escaped is never longer than its escapes.
std::string_view SeriesText::undo_escapes(std::string_view part) {
  const std::string_view plain = prometheus_text::unescape(part, scratch_);
  if (plain.data() == part.data()) return part;
  char* const to = text_.data() + (part.data() - text_.data());
  std::ranges::copy(plain, to);
  return {to, plain.size()};
}

std::string_view SeriesText::value_of(std::string_view label) const {
  const auto found = std::ranges::find(labels_, label, &prometheus_text::LabelView::name);
  return found == labels_.end() ? std::string_view() : found->value;
}

uint64_t SeriesText::identity(std::string_view except) const {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const auto& [label, value] : labels_) {
    if (label != except) hash = mix(mix(hash, label), value);
  }
  return hash;
}

}  // namespace warpsight::engines

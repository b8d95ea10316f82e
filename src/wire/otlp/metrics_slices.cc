#include "wire/otlp/metrics_slices.h"

#include "wire/otlp/proto_reader.h"
#include "wire/proto_writer.h"

namespace warpsight::otlp {
namespace {

constexpr uint32_t kResourceMetrics = 1;
constexpr uint32_t kScopeMetrics = 2;
constexpr uint32_t kMetrics = 2;
constexpr uint32_t kFirstData = 5;
constexpr uint32_t kLastData = 11;
constexpr uint32_t kPoints = 1;

// Calls fn(field) for each field of bytes with that number and gathers the others in `rest`; false
// at bytes that are no message.
template <typename Fn>
bool take_apart(std::string_view message, uint32_t number, std::string& rest, Fn&& fn) {
  FieldReader reader(message);
  Field field;
  while (reader.next(field)) {
    if (field.number != number) {
      rest += field.whole;
    } else if (field.type != WireType::bytes || !fn(field)) {
      return false;
    }
  }
  return !reader.broken();
}

// The one field with that number; all others are gathered in `rest`.
std::optional<std::string_view> only(std::string_view message, uint32_t number, std::string& rest) {
  std::optional<std::string_view> found;
  const bool whole = take_apart(message, number, rest, [&](const Field& field) {
    const bool first = !found;
    found = field.bytes;
    return first;
  });
  return whole ? found : std::nullopt;
}

}  // namespace

std::optional<MetricsSlices> MetricsSlices::of(std::string_view request) {
  MetricsSlices slices;
  std::string nothing;
  const auto resource = only(request, kResourceMetrics, nothing);
  if (!resource || !nothing.empty()) return std::nullopt;
  const auto scope = only(*resource, kScopeMetrics, slices.resource_);
  if (!scope) return std::nullopt;
  const auto add = [&](const Field& metric) { return slices.add_metric(metric.bytes); };
  if (!take_apart(*scope, kMetrics, slices.scope_, add)) return std::nullopt;
  return slices;
}

bool MetricsSlices::add_metric(std::string_view metric) {
  FieldReader reader(metric);
  Field field;
  Metric added;
  std::string_view data;
  while (reader.next(field)) {
    if (added.data != 0) return false;
    if (field.number < kFirstData) continue;
    if (field.number > kLastData || field.type != WireType::bytes) return false;
    added.head = metric.substr(0, static_cast<size_t>(field.whole.data() - metric.data()));
    added.data = bytes_tag(field.number);
    data = field.bytes;
  }
  if (reader.broken()) return false;
  const bool whole = take_apart(data, kPoints, added.tail, [&](const Field& point) {
    points_.push_back({metrics_.size(), point.whole});
    return true;
  });
  metrics_.push_back(std::move(added));
  return whole;
}

std::string MetricsSlices::slice(size_t first, size_t last) const {
  std::string metrics;
  std::string data;
  for (size_t at = first; at < last;) {
    const size_t metric = points_[at].metric;
    data.clear();
    for (; at < last && points_[at].metric == metric; ++at) data += points_[at].whole;
    const Metric& from = metrics_[metric];
    data += from.tail;
    append_frame(metrics, bytes_tag(kMetrics), from.head.size() + framed_size(data.size()));
    metrics += from.head;
    append_bytes(metrics, from.data, data);
  }
  const size_t scope_size = scope_.size() + metrics.size();
  std::string request;
  append_frame(request, bytes_tag(kResourceMetrics), resource_.size() + framed_size(scope_size));
  request += resource_;
  append_frame(request, bytes_tag(kScopeMetrics), scope_size);
  request += scope_;
  request += metrics;
  return request;
}

}  // namespace warpsight::otlp

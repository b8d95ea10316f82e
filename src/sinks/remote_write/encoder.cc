#include "sinks/remote_write/encoder.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinks/aliases.h"
#include "sinks/prometheus/bucket_lines.h"
#include "wire/prometheus_name.h"

namespace warpsight {
namespace {

constexpr std::string_view kInfoName = "target_info";
constexpr std::string_view kInfoHelp = "what this agent stands on: one series, value 1";

int64_t to_ms(Time time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// 0, which is none, where the count has hardly begun.
int64_t start_before(Time start, int64_t time) {
  const int64_t ms = to_ms(start);
  return ms < time ? ms : 0;
}

RemoteWriteType type_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::counter: return RemoteWriteType::counter;
    case MetricKind::histogram: return RemoteWriteType::histogram;
    case MetricKind::info: return RemoteWriteType::info;
    case MetricKind::gauge:
    case MetricKind::up_down_counter: break;
  }
  return RemoteWriteType::gauge;
}

}  // namespace

void RemoteWriteEncoder::encode(const Snapshot& snapshot, Outbox& out) {
  if (snapshot.time == Time{}) return;
  book_.begin_tick();
  if (slots_.size() < snapshot.series.size()) slots_.resize(snapshot.series.size());

  // A request's symbols precede its series, so all series are known before the first is written.
  if (!book_.holds(info_)) {
    info_ = book_.find(complete_labels(kInfoName, target_.info, target_.common),
                       {RemoteWriteType::info, kInfoHelp});
  }
  for (const Sample& sample : snapshot.samples) {
    const Series* series = snapshot.series_of(sample);
    if (series == nullptr) continue;
    Slot& slot = slots_[sample.series];
    const Histogram* histogram = snapshot.histogram_of(*series);
    if (!is_current(slot, sample, histogram)) prepare(slot, sample, *series, histogram);
  }

  RequestWriter writer(book_.symbols(), out);
  const int64_t now = to_ms(snapshot.time);
  book_.tell(info_, {1, now}, writer);
  for (const Sample& sample : snapshot.samples) {
    const Series* series = snapshot.series_of(sample);
    if (series == nullptr || !std::isfinite(sample.value)) continue;
    const Slot& slot = slots_[sample.series];
    RemoteSample point{sample.value, to_ms(sample.time)};
    if (slot.cumulative) point.start = start_before(series->start, point.time);
    if (const Histogram* histogram = snapshot.histogram_of(*series)) {
      tell_histogram(slot, *histogram, point, writer);
      continue;
    }
    for (const Part& part : slot.parts) {
      point.value = sample.value * part.scale;
      book_.tell(part.series, point, writer);
    }
  }
  book_.end_tick(now, writer);
}

bool RemoteWriteEncoder::is_current(const Slot& slot, const Sample& sample,
                                    const Histogram* histogram) const {
  return slot.birth == sample.birth &&
         (histogram == nullptr || std::ranges::equal(slot.bounds, histogram->bounds)) &&
         std::ranges::all_of(slot.parts, [&](const Part& p) { return book_.holds(p.series); });
}

void RemoteWriteEncoder::prepare(Slot& slot, const Sample& sample, const Series& series,
                                 const Histogram* histogram) {
  const MetricKind kind = row(series.metric).kind;
  slot.birth = sample.birth;
  slot.cumulative = kind == MetricKind::counter || kind == MetricKind::histogram;
  slot.parts.clear();
  slot.bounds.clear();
  if (histogram == nullptr) {
    add_numbers(slot, series);
  } else {
    slot.bounds = histogram->bounds;
    add_histogram(slot, series);
  }
  slot.parts.shrink_to_fit();
}

void RemoteWriteEncoder::add_numbers(Slot& slot, const Series& series) {
  const MetricRow& metric = row(series.metric);
  const PrometheusName own = prometheus_name(metric.name, metric.unit, metric.kind);
  const MetricDescription description{type_of(metric.kind), metric.meaning, own.unit};
  slot.parts.push_back(make_part(own.sample, description, series));
  if (!aliases_) return;
  for (const Alias& alias : aliases_of(metric)) {
    if (!alias.facet_key.empty() &&
        entities_.attribute(series.entity, alias.facet_key) != alias.facet_value) {
      continue;
    }
    // A rescaled alias has its unit in its name.
    const PrometheusName name =
        prometheus_name(alias.name, alias.scale == 1 ? metric.unit : "", metric.kind);
    if (name.sample == own.sample) continue;
    slot.parts.push_back(
        make_part(name.sample, {description.type, metric.meaning, name.unit}, series));
    slot.parts.back().scale = alias.scale;
  }
}

void RemoteWriteEncoder::add_histogram(Slot& slot, const Series& series) {
  const MetricRow& metric = row(series.metric);
  const PrometheusName name = prometheus_name(metric.name, metric.unit, metric.kind);
  const MetricDescription description{RemoteWriteType::histogram, metric.meaning, name.unit};
  for (const double bound : slot.bounds) {
    slot.parts.push_back(
        make_part(name.sample + "_bucket", description, series, bound_text(bound)));
  }
  slot.parts.push_back(make_part(name.sample + "_bucket", description, series, "+Inf"));
  slot.parts.push_back(make_part(name.sample + "_sum", description, series));
  slot.parts.push_back(make_part(name.sample + "_count", description, series));
}

RemoteWriteEncoder::Part RemoteWriteEncoder::make_part(std::string_view name,
                                                       const MetricDescription& description,
                                                       const Series& series,
                                                       std::string_view bound) {
  std::vector<Label> labels = labels_of(entities_, series.entity, row(series.metric));
  if (!bound.empty()) {
    std::erase_if(labels, [](const Label& label) { return label.name == "le"; });
    labels.push_back({"le", std::string(bound)});
  }
  return {book_.find(complete_labels(name, std::move(labels), target_.common), description)};
}

void RemoteWriteEncoder::tell_histogram(const Slot& slot, const Histogram& histogram,
                                        RemoteSample sample, RequestWriter& out) {
  auto part = slot.parts.begin();
  uint64_t count = 0;
  for (const uint64_t in_bucket : histogram.counts) {
    count += in_bucket;
    sample.value = static_cast<double>(count);
    book_.tell((part++)->series, sample, out);
  }
  sample.value = histogram.sum;
  book_.tell((part++)->series, sample, out);
  sample.value = static_cast<double>(count);
  book_.tell(part->series, sample, out);
}

}  // namespace warpsight

#include "wire/otlp/metrics_encoder.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/attributes.h"
#include "core/catalogue.h"
#include "wire/otlp/attributes.h"
#include "wire/otlp/delta.h"
#include "wire/otlp/exponential_layout.h"
#include "wire/otlp/point_body.h"
#include "wire/proto_writer.h"

namespace warpsight::otlp {
namespace {

constexpr char kMetricTag = bytes_tag(2);
constexpr char kPointTag = bytes_tag(1);

}  // namespace

struct MetricsEncoder::Past {
  Delta delta;
  std::vector<double> bounds;  // that the layout was made for
  ExponentialLayout layout;
};

MetricsEncoder::MetricsEncoder(const EntityTable& entities, const Envelope& envelope,
                               MetricsForm form, size_t request_limit)
    : entities_(entities),
      envelope_(envelope),
      form_(form),
      request_limit_(request_limit),
      frames_(catalogue().size()) {}

MetricsEncoder::~MetricsEncoder() = default;

const MetricFrame& MetricsEncoder::frame_of(Metric metric) {
  const auto index = static_cast<size_t>(metric);
  if (index >= frames_.size()) frames_.resize(metric_count());
  MetricFrame& frame = frames_[index];
  if (frame.head.empty()) frame = make_frame(row(metric), form_);
  return frame;
}

MetricsEncoder::State& MetricsEncoder::state_of(const Sample& sample, const Series& series,
                                                Time now) {
  State& state = states_[sample.series];
  if (state.birth == sample.birth) return state;
  if (state.told) tell_end(state, now);
  state = State{};
  state.birth = sample.birth;
  state.metric = series.metric;
  const MetricRow& metric = row(series.metric);
  const MetricFrame& frame = frame_of(series.metric);
  append_attributes(state.attributes, frame.attributes,
                    attributes_of(entities_, series.entity, &metric, {}));
  state.attributes.shrink_to_fit();
  if (frame.delta || frame.form == PointForm::exponential) state.past = std::make_unique<Past>();
  return state;
}

bool MetricsEncoder::append_histogram(State& state, const Series& series, Time time,
                                      const Histogram& histogram) {
  const MetricFrame& frame = frame_of(state.metric);
  Span span{series.start, time};
  const Histogram* told = &histogram;
  if (frame.delta) {
    if (!state.past->delta.advance(series.start, time, histogram, span.start, change_)) {
      return false;
    }
    told = &change_;
  }
  if (frame.form == PointForm::histogram) {
    append_histogram_body(bodies_, span, *told);
    return true;
  }
  Past& past = *state.past;
  if (past.bounds != histogram.bounds) {
    past.bounds = histogram.bounds;
    past.layout = ExponentialLayout(past.bounds);
  }
  append_exponential_body(bodies_, span, *told, past.layout, buckets_);
  return true;
}

bool MetricsEncoder::append_body(State& state, const Snapshot& snapshot, const Sample& sample,
                                 const Series& series) {
  const MetricFrame& frame = frame_of(state.metric);
  if (frame.form == PointForm::gauge) {
    append_gauge_body(bodies_, sample.time, sample.value);
    return true;
  }
  if (frame.form != PointForm::sum) {
    const Histogram* histogram = snapshot.histogram_of(series);
    return histogram != nullptr && append_histogram(state, series, sample.time, *histogram);
  }
  Delta::Change told{series.start, sample.value};
  if (frame.delta && !state.past->delta.advance(series.start, sample.time, sample.value, told)) {
    return false;
  }
  append_sum_body(bodies_, {told.start, sample.time}, told.value);
  return true;
}

// Filled in place: a copy of what was just written piece by piece would wait for the pieces.
void MetricsEncoder::add_pick(Metric metric, uint32_t slot, uint32_t body, size_t attributes) {
  Pick& pick = picks_.emplace_back();
  pick.metric = metric;
  pick.slot = slot;
  pick.body = body;
  pick.body_size = static_cast<uint32_t>(bodies_.size()) - body;
  pick.size = pick.body_size + static_cast<uint32_t>(attributes);
}

void MetricsEncoder::tell_end(State& state, Time now) {
  const auto body = static_cast<uint32_t>(bodies_.size());
  const Time time = std::max(now, state.last + Duration{1});
  bodies_ += state.attributes;
  append_end_body(bodies_, time, frame_of(state.metric).flags);
  add_pick(state.metric, kNoSlot, body, 0);
  state.told = false;
  state.last = time;
  --told_;
}

void MetricsEncoder::tell_missing_ends(Time now) {
  for (State& state : states_) {
    if (state.told && state.seen != tick_) tell_end(state, now);
  }
}

size_t MetricsEncoder::take(const Snapshot& snapshot) {
  ++tick_;
  picks_.clear();
  bodies_.clear();
  if (states_.size() < snapshot.series.size()) states_.resize(snapshot.series.size());
  size_t present = 0;
  for (const Sample& sample : snapshot.samples) {
    const Series* series = snapshot.series_of(sample);
    if (series == nullptr || !std::isfinite(sample.value)) continue;
    State& state = state_of(sample, *series, snapshot.time);
    state.seen = tick_;
    const auto body = static_cast<uint32_t>(bodies_.size());
    if (sample.time > state.last && append_body(state, snapshot, sample, *series)) {
      add_pick(state.metric, sample.series, body, state.attributes.size());
      if (!state.told) ++told_;
      state.told = true;
    }
    state.last = std::max(state.last, sample.time);
    if (state.told) ++present;
  }
  if (present != told_) tell_missing_ends(snapshot.time);
  if (!std::ranges::is_sorted(picks_, {}, &Pick::metric)) {
    std::ranges::stable_sort(picks_, {}, &Pick::metric);
  }
  form_requests();
  return requests_.size();
}

void MetricsEncoder::form_requests() {
  groups_.clear();
  requests_.clear();
  size_t request_size = 0;
  for (uint32_t i = 0; i < picks_.size(); ++i) {
    const Pick& pick = picks_[i];
    const size_t size = framed_size(pick.size);
    const bool another = requests_.empty() || request_size + size > request_limit_;
    if (another) {
      const auto group = static_cast<uint32_t>(groups_.size());
      requests_.push_back({group, group});
      request_size = envelope_.request_size(0);
    }
    if (another || groups_.back().metric != pick.metric) {
      groups_.push_back({pick.metric, i, i, 0});
      ++requests_.back().last_group;
      request_size += frame_of(pick.metric).head.size();
    }
    groups_.back().last = i + 1;
    groups_.back().size += size;
    request_size += size;
  }
}

size_t MetricsEncoder::metric_size(const Group& group) const {
  const MetricFrame& frame = frames_[static_cast<size_t>(group.metric)];
  return frame.head.size() + framed_size(group.size + frame.tail.size());
}

char* MetricsEncoder::write_metric(char* out, const Group& group) const {
  const MetricFrame& frame = frames_[static_cast<size_t>(group.metric)];
  out = write_frame(out, kMetricTag, metric_size(group));
  out = write_text(out, frame.head);
  out = write_frame(out, frame.data, group.size + frame.tail.size());
  for (uint32_t i = group.first; i < group.last; ++i) {
    const Pick& pick = picks_[i];
    out = write_frame(out, kPointTag, pick.size);
    if (pick.slot != kNoSlot) out = write_text(out, states_[pick.slot].attributes);
    out = write_text(out, std::string_view(bodies_).substr(pick.body, pick.body_size));
  }
  return write_text(out, frame.tail);
}

uint32_t MetricsEncoder::append_request(size_t index, std::string& out) const {
  const auto groups = std::span(groups_).subspan(
      requests_[index].first_group, requests_[index].last_group - requests_[index].first_group);
  size_t items = 0;
  for (const Group& group : groups) items += framed_size(metric_size(group));
  out.reserve(out.size() + envelope_.request_size(items));
  envelope_.append(out, items);
  const size_t before = out.size();
  out.resize(before + items);
  char* to = out.data() + before;
  for (const Group& group : groups) to = write_metric(to, group);
  return groups.back().last - groups.front().first;
}

}  // namespace warpsight::otlp

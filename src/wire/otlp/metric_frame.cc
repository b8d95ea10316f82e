#include "wire/otlp/metric_frame.h"

#include "wire/otlp/attributes.h"
#include "wire/proto_writer.h"

namespace warpsight::otlp {
namespace {

constexpr char kName = bytes_tag(1);
constexpr char kDescription = bytes_tag(2);
constexpr char kUnit = bytes_tag(3);
constexpr char kTemporality = varint_tag(2);
constexpr char kMonotonic = varint_tag(3);
constexpr char kDelta = 1;
constexpr char kCumulative = 2;

PointForm form_of(MetricKind kind, bool exponential) {
  switch (kind) {
    case MetricKind::counter:
    case MetricKind::up_down_counter: return PointForm::sum;
    case MetricKind::histogram: return exponential ? PointForm::exponential : PointForm::histogram;
    case MetricKind::gauge:
    case MetricKind::info: break;
  }
  return PointForm::gauge;
}

struct Tags {
  char data;
  char attributes;
  char flags;
};

Tags tags_of(PointForm form) {
  switch (form) {
    case PointForm::gauge: return {bytes_tag(5), bytes_tag(7), varint_tag(8)};
    case PointForm::sum: return {bytes_tag(7), bytes_tag(7), varint_tag(8)};
    case PointForm::histogram: return {bytes_tag(9), bytes_tag(9), varint_tag(10)};
    case PointForm::exponential: break;
  }
  return {bytes_tag(10), bytes_tag(1), varint_tag(10)};
}

}  // namespace

MetricFrame make_frame(const MetricRow& row, MetricsForm form) {
  MetricFrame frame;
  append_text(frame.head, kName, row.name);
  append_text(frame.head, kDescription, row.meaning);
  append_text(frame.head, kUnit, row.unit);
  frame.form = form_of(row.kind, form.exponential);
  const Tags tags = tags_of(frame.form);
  frame.data = tags.data;
  frame.attributes = tags.attributes;
  frame.flags = tags.flags;
  // A sum that may fall is told whole even where differences are preferred.
  frame.delta =
      form.delta && (row.kind == MetricKind::counter || row.kind == MetricKind::histogram);
  if (frame.form != PointForm::gauge) {
    frame.tail += kTemporality;
    frame.tail += frame.delta ? kDelta : kCumulative;
  }
  if (row.kind == MetricKind::counter) {
    frame.tail += kMonotonic;
    frame.tail += '\x01';
  }
  return frame;
}

}  // namespace warpsight::otlp

#include "wire/otlp/point_body.h"

namespace warpsight::otlp {
namespace {

constexpr char kCount = fixed64_tag(4);
constexpr char kSum = fixed64_tag(5);

constexpr char kBucketCounts = bytes_tag(6);
constexpr char kExplicitBounds = bytes_tag(7);

constexpr char kScale = varint_tag(6);
constexpr char kZeroCount = fixed64_tag(7);
constexpr char kPositive = bytes_tag(8);
constexpr char kOffset = varint_tag(1);
constexpr char kExponentialCounts = bytes_tag(2);

constexpr char kNoRecordedValue = 1;

void append_span(std::string& out, Span span) {
  char text[18];
  write_time(write_time(text, kStartTag, span.start), kTimeTag, span.time);
  out.append(text, sizeof text);
}

void append_count_and_sum(std::string& out, const Histogram& histogram) {
  uint64_t count = 0;
  for (const uint64_t n : histogram.counts) count += n;
  out += kCount;
  append_fixed64(out, count);
  out += kSum;
  append_double(out, histogram.sum);
}

}  // namespace

void append_histogram_body(std::string& out, Span span, const Histogram& histogram) {
  append_span(out, span);
  append_count_and_sum(out, histogram);
  append_frame(out, kBucketCounts, histogram.counts.size() * sizeof(uint64_t));
  for (const uint64_t n : histogram.counts) append_fixed64(out, n);
  if (histogram.bounds.empty()) return;
  append_frame(out, kExplicitBounds, histogram.bounds.size() * sizeof(double));
  for (const double bound : histogram.bounds) append_double(out, bound);
}

void append_exponential_body(std::string& out, Span span, const Histogram& histogram,
                             const ExponentialLayout& layout, std::vector<uint64_t>& buckets) {
  const uint64_t zeros = layout.spread(histogram.counts, buckets);
  append_span(out, span);
  append_count_and_sum(out, histogram);
  out += kScale;
  append_varint(out, zigzag(layout.scale()));
  out += kZeroCount;
  append_fixed64(out, zeros);

  size_t counts_size = 0;
  for (const uint64_t n : buckets) counts_size += varint_size(n);
  const uint32_t offset = zigzag(layout.offset());
  append_frame(out, kPositive, 1 + varint_size(offset) + framed_size(counts_size));
  out += kOffset;
  append_varint(out, offset);
  append_frame(out, kExponentialCounts, counts_size);
  for (const uint64_t n : buckets) append_varint(out, n);
}

void append_end_body(std::string& out, Time time, char flags_tag) {
  char text[9];
  write_time(text, kTimeTag, time);
  out.append(text, sizeof text);
  out += flags_tag;
  out += kNoRecordedValue;
}

}  // namespace warpsight::otlp

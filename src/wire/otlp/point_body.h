// The part of a data point that changes from tick to tick: all but its attributes.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/registry.h"
#include "wire/otlp/exponential_layout.h"
#include "wire/proto_writer.h"

namespace warpsight::otlp {

// The same fields in points of every form.
inline constexpr char kStartTag = fixed64_tag(2);
inline constexpr char kTimeTag = fixed64_tag(3);

struct Span {
  Time start;
  Time time;
};

inline uint64_t unix_nanoseconds(Time time) {
  return static_cast<uint64_t>(time.time_since_epoch().count());
}

inline char* write_time(char* out, char tag, Time time) {
  *out++ = tag;
  return write_fixed64(out, unix_nanoseconds(time));
}

inline char* write_value(char* out, double value) {
  *out++ = fixed64_tag(4);
  return write_fixed64(out, std::bit_cast<uint64_t>(value));
}

inline void append_gauge_body(std::string& out, Time time, double value) {
  char body[18];
  write_value(write_time(body, kTimeTag, time), value);
  out.append(body, sizeof body);
}

inline void append_sum_body(std::string& out, Span span, double value) {
  char body[27];
  write_value(write_time(write_time(body, kStartTag, span.start), kTimeTag, span.time), value);
  out.append(body, sizeof body);
}

void append_histogram_body(std::string& out, Span span, const Histogram& histogram);

// `buckets` is room to work in.
void append_exponential_body(std::string& out, Span span, const Histogram& histogram,
                             const ExponentialLayout& layout, std::vector<uint64_t>& buckets);

// Says that there is no value from `time` on.
void append_end_body(std::string& out, Time time, char flags_tag);

}  // namespace warpsight::otlp

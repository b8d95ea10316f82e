#include "wire/prometheus_text/line.h"

#include "wire/prometheus_text/number.h"
#include "wire/prometheus_text/plain_labels.h"
#include "wire/prometheus_text/scan.h"

namespace warpsight::prometheus_text {
namespace {

std::string_view between(const char* first, const char* last) {
  return {first, static_cast<size_t>(last - first)};
}

const char* token_end(const char* at, const char* end) {
  while (at < end && !is_blank(*at) && !at_line_end(at, end)) ++at;
  return at;
}

Problem read_timestamp(std::string_view text, TextFormat format, Reading& reading) {
  const bool good = format == TextFormat::classic
                        ? parse_classic_timestamp(text, reading.timestamp_ms)
                        : parse_open_metrics_timestamp(text, reading.timestamp_ms);
  reading.timestamp_text = text;
  return good ? Problem::none : Problem::bad_timestamp;
}

// What may follow a value: a timestamp, an exemplar. `at` is at the first of it.
Problem read_tail(const char*& at, const char* end, TextFormat format, Reading& reading) {
  if (*at != '#') {
    const char* stop = token_end(at, end);
    const Problem problem = read_timestamp(between(at, stop), format, reading);
    if (problem != Problem::none) return problem;
    at = skip_blanks(stop, end);
    if (at_line_end(at, end)) return Problem::none;
  }
  if (*at != '#') return Problem::trailing_text;
  const char* stop = find_newline(at, end);
  const char* last = stop > at && stop[-1] == '\r' ? stop - 1 : stop;
  reading.exemplar = between(at, last);
  at = stop;
  return Problem::none;
}

// `foo {count:12,sum:3}`: the composite value that newer drafts give native histograms.
bool is_composite(const char* at, const char* end) {
  const char* word = skip_blanks(at, end);
  const char* stop = label_name_end(word, end);
  return stop > word && stop < end && *stop == ':';
}

class LabelReader {
 public:
  LabelReader(const char* at, const char* end, SampleView& sample)
      : at_(at), end_(end), sample_(sample) {}

  // From behind the opening brace to behind the closing one.
  Problem read() {
    for (;;) {
      at_ = skip_blanks(at_, end_);
      if (at_ == end_) return Problem::open_labels;
      if (*at_ == '}') {
        ++at_;
        return Problem::none;
      }
      const Problem problem = *at_ == '"' ? read_quoted() : read_bare();
      if (problem != Problem::none) return problem;
      at_ = skip_blanks(at_, end_);
      if (at_ < end_ && *at_ == ',') {
        ++at_;
      } else if (at_ == end_ || *at_ == '\n') {
        return Problem::open_labels;
      } else if (*at_ != '}') {
        return Problem::missing_comma;
      }
    }
  }

  const char* at() const { return at_; }

 private:
  Problem read_bare() {
    const char* stop = label_name_end(at_, end_);
    if (stop == at_ || is_digit(*at_)) {
      return *at_ == '\n' ? Problem::open_labels : Problem::bad_label_name;
    }
    at_ = stop;
    return take_equals() ? read_value() : Problem::missing_equals;
  }

  // A label name, or the metric's own when no '=' follows.
  Problem read_quoted() {
    const char* first = at_ + 1;
    const char* stop = string_end(first, end_);
    if (stop == nullptr) return Problem::open_labels;
    at_ = stop + 1;
    const bool empty = stop == first;
    if (take_equals()) return empty ? Problem::bad_label_name : read_value();
    if (at_ == end_ || (*at_ != ',' && *at_ != '}')) return Problem::missing_equals;
    if (!sample_.name.empty()) return Problem::two_names;
    if (empty) return Problem::bad_name;
    sample_.name = between(first, stop);
    sample_.quoted_name = true;
    return Problem::none;
  }

  bool take_equals() {
    at_ = skip_blanks(at_, end_);
    if (at_ == end_ || *at_ != '=') return false;
    ++at_;
    return true;
  }

  Problem read_value() {
    at_ = skip_blanks(at_, end_);
    if (at_ == end_ || *at_ != '"') return Problem::bad_label_value;
    const char* stop = string_end(at_ + 1, end_);
    if (stop == nullptr) return Problem::bad_label_value;
    at_ = stop + 1;
    return Problem::none;
  }

  const char* at_;
  const char* end_;
  SampleView& sample_;
};

}  // namespace

Problem read_series(const char*& at, const char* end, SampleView& sample) {
  const char* stop = metric_name_end(at, end);
  if (stop > at && is_digit(*at)) return Problem::bad_name;
  sample.name = between(at, stop);
  sample.labels = {};
  sample.quoted_name = false;
  const char* brace = stop < end && *stop == '{' ? stop : skip_blanks(stop, end);
  if (brace < end && *brace == '{') {
    stop = plain_labels_end(brace + 1, end);
    if (stop == nullptr) {
      LabelReader labels(brace + 1, end, sample);
      const Problem problem = labels.read();
      if (problem != Problem::none) {
        return is_composite(brace + 1, end) ? Problem::composite_value : problem;
      }
      stop = labels.at();
    }
    sample.labels = between(brace + 1, stop - 1);
    if (sample.name.empty()) return Problem::no_name;
  } else if (stop == at) {
    return Problem::bad_name;
  }
  sample.series = between(at, stop);
  at = stop;
  return Problem::none;
}

Problem read_any_reading(const char*& at, const char* end, TextFormat format, Reading& reading) {
  const char* p = skip_blanks(at, end);
  if (at_line_end(p, end)) return Problem::missing_value;
  if (p == at && at[-1] != '}') return Problem::bad_name;
  reading.timestamp_text = {};
  reading.timestamp_ms = 0;
  reading.exemplar = {};
  const char* stop = read_number(p, end, reading.value);
  if (stop == nullptr) return Problem::bad_value;
  reading.value_text = between(p, stop);
  if (stop < end && *stop == '\n') {
    at = stop;
    return Problem::none;
  }
  p = skip_blanks(stop, end);
  if (!at_line_end(p, end)) {
    if (p == stop) return Problem::bad_value;
    const Problem problem = read_tail(p, end, format, reading);
    if (problem != Problem::none) return problem;
  }
  at = p < end && *p == '\r' ? p + 1 : p;
  return Problem::none;
}

Problem read_sample(const char*& at, const char* end, TextFormat format, SampleView& sample) {
  const char* stop = at;
  Problem problem = read_series(stop, end, sample);
  if (problem != Problem::none) return problem;
  problem = read_reading(stop, end, format, sample.reading);
  if (problem == Problem::none) at = stop;
  return problem;
}

Problem read_exemplar(std::string_view text, SampleView& exemplar) {
  exemplar = {};
  if (!text.starts_with('#')) return Problem::open_labels;
  const char* at = text.data() + 1;
  const char* end = text.data() + text.size();
  at = skip_blanks(at, end);
  if (at == end || *at != '{') return Problem::open_labels;
  const char* first = at;
  LabelReader labels(at + 1, end, exemplar);
  const Problem problem = labels.read();
  if (problem != Problem::none) return problem;
  if (!exemplar.name.empty()) return Problem::missing_equals;
  at = labels.at();
  exemplar.labels = between(first + 1, at - 1);
  exemplar.series = between(first, at);
  const Problem behind = read_reading(at, end, TextFormat::open_metrics, exemplar.reading);
  if (behind != Problem::none) return behind;
  return exemplar.reading.exemplar.empty() && at == end ? Problem::none : Problem::trailing_text;
}

std::string_view describe(Problem problem) {
  switch (problem) {
    case Problem::none: return "fine";
    case Problem::bad_name: return "not a metric name";
    case Problem::two_names: return "two metric names";
    case Problem::no_name: return "no metric name";
    case Problem::bad_label_name: return "not a label name";
    case Problem::missing_equals: return "no '=' after a label name";
    case Problem::bad_label_value: return "a label value is not a closed string";
    case Problem::missing_comma: return "no comma between labels";
    case Problem::open_labels: return "the labels do not end";
    case Problem::composite_value: return "a composite value (native histogram)";
    case Problem::missing_value: return "no value";
    case Problem::bad_value: return "the value is not a number that fits";
    case Problem::bad_timestamp: return "not a timestamp";
    case Problem::trailing_text: return "text after the sample";
    case Problem::bad_metadata_name: return "not a metric name after HELP, TYPE or UNIT";
    case Problem::unknown_type: return "not a type of metric";
  }
  return "unknown";
}

}  // namespace warpsight::prometheus_text

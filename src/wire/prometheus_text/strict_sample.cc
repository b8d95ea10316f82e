#include "wire/prometheus_text/strict_sample.h"

#include <algorithm>
#include <utility>

#include "wire/prometheus_text/labels.h"
#include "wire/prometheus_text/line.h"
#include "wire/prometheus_text/number.h"
#include "wire/prometheus_text/scan.h"

namespace warpsight::prometheus_text {
namespace {

using Span = std::pair<const char*, const char*>;

const char* end_of(std::string_view text) { return text.data() + text.size(); }

// A name as it stands on the line, with its quotes.
Span span_of_name(std::string_view name) {
  const bool quoted = name.data()[-1] == '"';
  return quoted ? Span{name.data() - 1, end_of(name) + 1} : Span{name.data(), end_of(name)};
}

// Items with one comma between them and nothing else.
bool is_tight(const SampleView& sample) {
  std::vector<Span> items;
  bool tight = true;
  if (sample.quoted_name) items.push_back(span_of_name(sample.name));
  for_each_label(sample.labels, [&](const LabelView& label) {
    const auto [first, last] = span_of_name(label.name);
    const char* quote = label.value.data() - 1;
    tight &= quote == last + 1;
    items.emplace_back(first, end_of(label.value) + 1);
  });
  std::sort(items.begin(), items.end());
  const char* next = sample.labels.data();
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && *next++ != ',') return false;
    if (items[i].first != next) return false;
    next = items[i].second;
  }
  return tight && next == end_of(sample.labels);
}

// One space before `text`, which goes on from `at`.
bool follows(const char*& at, std::string_view text) {
  if (*at != ' ' || text.data() != at + 1) return false;
  at = end_of(text);
  return true;
}

Reason check_reading(const Reading& reading, const char*& at) {
  if (!follows(at, reading.value_text)) return "not one space before the value";
  if (!is_strict_number(reading.value_text)) return "the value is not a number";
  if (reading.timestamp_text.empty()) return {};
  if (!follows(at, reading.timestamp_text)) return "not one space before the timestamp";
  if (!is_real_number(reading.timestamp_text)) return "not a timestamp";
  return {};
}

Reason check_open_metrics_line(std::string_view line, const SampleView& view) {
  const bool braces = view.series.back() == '}';
  if (braces && !view.quoted_name && view.series[view.name.size()] != '{') {
    return "blanks before the labels";
  }
  if (braces && !is_tight(view)) return "blanks or a comma too many among the labels";
  const char* at = end_of(view.series);
  if (const Reason reason = check_reading(view.reading, at); !reason.empty()) return reason;
  if (!view.reading.exemplar.empty() && !follows(at, view.reading.exemplar)) {
    return "not one space before the exemplar";
  }
  if (at != end_of(line)) return "text after the sample";
  return {};
}

Reason check_classic_line(std::string_view line, const SampleView& view) {
  const Reading& reading = view.reading;
  if (!is_strict_number(reading.value_text)) return "the value is not a number";
  if (!reading.exemplar.empty()) return "an exemplar in classic text";
  const std::string_view last =
      reading.timestamp_text.empty() ? reading.value_text : reading.timestamp_text;
  if (end_of(last) != end_of(line)) return "text after the sample";
  bool first = true;
  Reason reason;
  if (view.quoted_name && !has_known_escapes(view.name)) reason = "an unknown escape";
  for_each_label(view.labels, [&](const LabelView& label) {
    if (view.quoted_name && first && label.name.data() < view.name.data()) {
      reason = "the name is not the first thing in the braces";
    }
    if (label.name == "__name__") reason = "__name__ is reserved";
    if (!has_known_escapes(label.name) || !has_known_escapes(label.value)) {
      reason = "an unknown escape";
    }
    first = false;
  });
  return reason;
}

Reason decode(StrictSample& sample) {
  sample.name = unescaped(sample.view.name);
  sample.labels.clear();
  for_each_label(sample.view.labels, [&](const LabelView& label) {
    sample.labels.push_back({unescaped(label.name), unescaped(label.value)});
  });
  std::sort(sample.labels.begin(), sample.labels.end());
  const auto same_name = [](const Label& a, const Label& b) { return a.name == b.name; };
  const auto twice = std::adjacent_find(sample.labels.begin(), sample.labels.end(), same_name);
  return twice != sample.labels.end() ? "a label twice" : Reason{};
}

}  // namespace

const std::string* StrictSample::label(std::string_view wanted) const {
  for (const Label& label : labels) {
    if (label.name == wanted) return &label.value;
  }
  return nullptr;
}

Reason read_strict_sample(std::string_view line, TextFormat format, StrictSample& sample) {
  const char* at = line.data();
  if (format == TextFormat::classic) at = skip_blanks(at, end_of(line));
  const Problem problem = read_sample(at, end_of(line), format, sample.view);
  if (problem != Problem::none) return describe(problem);
  const Reason reason = format == TextFormat::classic ? check_classic_line(line, sample.view)
                                                      : check_open_metrics_line(line, sample.view);
  return reason.empty() ? decode(sample) : reason;
}

Reason read_strict_exemplar(std::string_view text, StrictSample& exemplar) {
  const Problem problem = read_exemplar(text, exemplar.view);
  if (problem != Problem::none) return "not an exemplar";
  const SampleView& view = exemplar.view;
  if (!text.starts_with("# {") || !is_tight(view))
    return "blanks or a comma too many in an exemplar";
  const char* at = end_of(view.series);
  if (const Reason reason = check_reading(view.reading, at); !reason.empty()) return reason;
  if (at != end_of(text)) return "text after the exemplar";
  return decode(exemplar);
}

std::string unescaped(std::string_view text) {
  std::string scratch;
  return std::string(unescape(text, scratch));
}

bool has_known_escapes(std::string_view text) {
  for (size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 2)) {
    if (at + 1 == text.size()) return false;
    const char next = text[at + 1];
    if (next != '\\' && next != '"' && next != 'n') return false;
  }
  return true;
}

std::string key_of(const Labels& labels) {
  std::string key;
  for (const Label& label : labels) {
    for (const std::string* part : {&label.name, &label.value}) {
      key += std::to_string(part->size());
      key += ':';
      key += *part;
    }
  }
  return key;
}

}  // namespace warpsight::prometheus_text

#include "wire/prometheus_text/open_metrics_rules.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <span>
#include <utility>

#include "wire/prometheus_text/number.h"
#include "wire/prometheus_text/scan.h"
#include "wire/utf8.h"

namespace warpsight::prometheus_text {
namespace {

constexpr size_t kExemplarCharacters = 128;

constexpr std::array<std::pair<std::string_view, FamilyType>, 8> kTypes = {{
    {"unknown", FamilyType::unknown},
    {"counter", FamilyType::counter},
    {"gauge", FamilyType::gauge},
    {"histogram", FamilyType::histogram},
    {"summary", FamilyType::summary},
    {"gaugehistogram", FamilyType::gauge_histogram},
    {"info", FamilyType::info},
    {"stateset", FamilyType::state_set},
}};

// What the samples of a type may have behind the family's name.
std::span<const std::string_view> suffixes_of(FamilyType type) {
  static constexpr std::array<std::string_view, 1> kNone = {""};
  static constexpr std::array<std::string_view, 2> kCounter = {"_total", "_created"};
  static constexpr std::array<std::string_view, 4> kHistogram = {"_bucket", "_count", "_sum",
                                                                 "_created"};
  static constexpr std::array<std::string_view, 4> kSummary = {"", "_count", "_sum", "_created"};
  static constexpr std::array<std::string_view, 3> kGauge = {"_bucket", "_gcount", "_gsum"};
  static constexpr std::array<std::string_view, 1> kInfo = {"_info"};
  switch (type) {
    case FamilyType::counter: return kCounter;
    case FamilyType::histogram: return kHistogram;
    case FamilyType::summary: return kSummary;
    case FamilyType::gauge_histogram: return kGauge;
    case FamilyType::info: return kInfo;
    default: return kNone;
  }
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

bool is_histogram(FamilyType type) {
  return type == FamilyType::histogram || type == FamilyType::gauge_histogram;
}

// Infinity has one spelling in `le` and `quantile`; other numbers may have any.
bool is_canonical_bound(const std::string* text, double& bound) {
  if (text == nullptr || !is_strict_number(*text) || !parse_number(*text, bound)) return false;
  return !std::isnan(bound) && (!std::isinf(bound) || *text == (bound > 0 ? "+Inf" : "-Inf"));
}

// Takes a name and the space behind it from the front of `rest`.
bool take_name(std::string_view& rest, std::string& name) {
  const char* first = rest.data();
  const char* end = first + rest.size();
  const bool quoted = rest.starts_with('"');
  const char* stop = quoted ? string_end(++first, end) : metric_name_end(first, end);
  if (stop == nullptr || stop == first || (!quoted && is_digit(*first))) return false;
  name = unescaped({first, static_cast<size_t>(stop - first)});
  if (quoted) ++stop;
  if (stop == end || *stop != ' ') return false;
  rest.remove_prefix(static_cast<size_t>(stop + 1 - rest.data()));
  return true;
}

size_t characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(next_utf8(text).size);
  return count;
}

std::optional<double> time_of(const Reading& reading) {
  double seconds = 0;
  if (!parse_number(reading.timestamp_text, seconds)) return std::nullopt;
  return seconds;
}

}  // namespace

std::optional<Violation> OpenMetricsRules::line(std::string_view line, uint64_t number) {
  blamed_ = number;
  Reason reason;
  if (eof_) {
    reason = "a line after # EOF";
  } else if (line.empty()) {
    reason = "a blank line";
  } else if (line.ends_with('\r')) {
    reason = "a carriage return at the end of a line";
  } else if (line == "# EOF") {
    eof_ = true;
    reason = close_family();
  } else {
    reason = line[0] == '#' ? metadata(line, number) : sample(line, number);
  }
  if (reason.empty()) return std::nullopt;
  return Violation{blamed_, reason};
}

std::optional<Violation> OpenMetricsRules::finish(uint64_t number, bool) {
  if (eof_) return std::nullopt;
  return Violation{number, "no # EOF at the end"};
}

Reason OpenMetricsRules::metadata(std::string_view line, uint64_t number) {
  constexpr std::string_view kUnknown = "neither HELP, TYPE nor UNIT";
  constexpr size_t kPrefix = 7;  // "# HELP "
  if (line.size() < kPrefix || !line.starts_with("# ") || line[kPrefix - 1] != ' ') return kUnknown;
  const std::string_view keyword = line.substr(2, 4);
  if (!is_one_of(keyword, {"HELP", "TYPE", "UNIT"})) return kUnknown;
  std::string_view rest = line.substr(kPrefix);
  std::string name;
  if (!take_name(rest, name)) return "not a metric name, or nothing behind it";
  if (family_.name != name) {
    if (const Reason reason = open_family(std::move(name), number); !reason.empty()) return reason;
  } else if (family_.sampled) {
    return "metadata after samples";
  }
  return describe_family(keyword, rest);
}

Reason OpenMetricsRules::describe_family(std::string_view keyword, std::string_view text) {
  if (keyword == "HELP") return std::exchange(family_.helped, true) ? "a second HELP" : Reason{};
  if (keyword == "UNIT") {
    if (family_.unit) return "a second UNIT";
    family_.unit = text;
    return {};
  }
  if (std::exchange(family_.typed, true)) return "a second TYPE";
  for (const auto& [name, type] : kTypes) {
    if (name == text) {
      family_.type = type;
      return {};
    }
  }
  return "not a type of metric";
}

bool OpenMetricsRules::belongs(std::string_view name) const {
  if (family_.name.empty() || !name.starts_with(family_.name)) return false;
  const std::string_view suffix = name.substr(family_.name.size());
  for (const std::string_view allowed : suffixes_of(family_.type)) {
    if (suffix == allowed) return true;
  }
  return false;
}

Reason OpenMetricsRules::sample(std::string_view line, uint64_t number) {
  StrictSample sample;
  if (const Reason reason = read_strict_sample(line, TextFormat::open_metrics, sample);
      !reason.empty()) {
    return reason;
  }
  if (!belongs(sample.name)) {
    if (const Reason reason = open_family(sample.name, number); !reason.empty()) return reason;
  }
  family_.sampled = true;
  const std::string_view suffix = std::string_view(sample.name).substr(family_.name.size());
  if (const Reason reason = check_labels(sample, suffix); !reason.empty()) return reason;
  if (const Reason reason = check_value(sample, suffix); !reason.empty()) return reason;
  if (const Reason reason = check_exemplar(sample, suffix); !reason.empty()) return reason;
  return check_order(sample, suffix);
}

Reason OpenMetricsRules::check_labels(const StrictSample& sample, std::string_view suffix) const {
  double bound = 0;
  if (suffix == "_bucket" && !is_canonical_bound(sample.label("le"), bound)) {
    return "a bucket without a good le";
  }
  if (family_.type == FamilyType::summary && suffix.empty()) {
    const bool good = is_canonical_bound(sample.label("quantile"), bound);
    if (!good || bound < 0 || bound > 1) return "a summary without a good quantile";
  }
  if (family_.type == FamilyType::state_set && sample.label(family_.name) == nullptr) {
    return "a state without its label";
  }
  return {};
}

Reason OpenMetricsRules::check_value(const StrictSample& sample, std::string_view suffix) const {
  const double value = sample.view.reading.value;
  if (family_.type == FamilyType::state_set && value != 0 && value != 1) {
    return "a state that is neither 0 nor 1";
  }
  if (family_.type == FamilyType::info && value != 1) return "an info that is not 1";
  if (family_.type == FamilyType::summary && suffix.empty() && value < 0) {
    return "a negative quantile";
  }
  if (is_one_of(suffix, {"_total", "_sum", "_count", "_bucket", "_gcount"}) && !(value >= 0)) {
    return "a counter that is negative or NaN";
  }
  if (suffix == "_gsum" && std::isnan(value)) return "a sum that is NaN";
  const bool whole = std::isfinite(value) && std::trunc(value) == value;
  if (is_one_of(suffix, {"_bucket", "_count", "_gcount"}) && !whole) {
    return "a count that is not whole";
  }
  return {};
}

Reason OpenMetricsRules::check_exemplar(const StrictSample& sample, std::string_view suffix) const {
  const std::string_view text = sample.view.reading.exemplar;
  if (text.empty()) return {};
  const bool bucket = is_histogram(family_.type) && suffix == "_bucket";
  const bool total = family_.type == FamilyType::counter && suffix == "_total";
  if (!bucket && !total) {
    return "an exemplar on what can have none";
  }
  StrictSample exemplar;
  if (const Reason reason = read_strict_exemplar(text, exemplar); !reason.empty()) return reason;
  size_t length = 0;
  for (const Label& label : exemplar.labels)
    length += characters(label.name) + characters(label.value);
  if (length > kExemplarCharacters) return "an exemplar of more than 128 characters";
  double bound = 0;
  if (bucket && parse_number(*sample.label("le"), bound) && exemplar.view.reading.value > bound) {
    return "an exemplar beyond its bucket";
  }
  return {};
}

// The label that tells samples of one metric apart.
std::string_view OpenMetricsRules::own_label(std::string_view suffix) const {
  if (family_.type == FamilyType::state_set) return family_.name;
  if (suffix == "_bucket") return "le";
  return family_.type == FamilyType::summary && suffix.empty() ? "quantile" : "";
}

// The samples of a metric stand together, and its times do not go back.
Reason OpenMetricsRules::check_order(const StrictSample& sample, std::string_view suffix) {
  const FamilyType type = family_.type;
  Labels labels = sample.labels;
  const std::string_view own = own_label(suffix);
  std::erase_if(labels, [&](const Label& label) { return label.name == own; });
  if (type == FamilyType::info) labels.clear();  // its own labels cannot be told from its metric's
  std::string key = key_of(labels);
  const std::optional<double> timestamp = time_of(sample.view.reading);

  const bool same = metric_.open && metric_.key == key;
  if (same) {
    if (timestamp.has_value() != metric_.timestamp.has_value()) {
      return "some samples of a metric have a timestamp, some have none";
    }
    if (timestamp < metric_.timestamp && type != FamilyType::info) return "times go back";
  } else {
    if (const Reason reason = close_metric(); !reason.empty()) return reason;
    if (!family_.metrics.insert(key).second) return "the samples of a metric do not stand together";
    metric_ = Metric{};
    metric_.open = true;
    metric_.key = std::move(key);
    metric_.line = blamed_;
  }
  const bool begins = !same || timestamp != metric_.timestamp;
  metric_.timestamp = timestamp;
  metric_.has_total |= suffix == "_total";
  const bool first = metric_.series.insert(sample.name + key_of(sample.labels)).second;
  if (!first && !timestamp) return "a series twice";
  return is_histogram(type) ? check_histogram(sample, suffix, begins) : Reason{};
}

Reason OpenMetricsRules::check_histogram(const StrictSample& sample, std::string_view suffix,
                                         bool begins) {
  if (begins) {
    if (const Reason reason = histogram_.finish(); !reason.empty()) return reason;
    histogram_.reset();
  }
  const double value = sample.view.reading.value;
  double bound = 0;
  if (suffix == "_bucket" && parse_number(*sample.label("le"), bound)) {
    return histogram_.add_bucket(bound, value);
  }
  histogram_.add(suffix, value);
  return {};
}

Reason OpenMetricsRules::close_metric() {
  if (!metric_.open) return {};
  const bool counter = family_.type == FamilyType::counter;
  const Reason reason =
      counter && !metric_.has_total ? Reason{"a counter without its total"} : histogram_.finish();
  if (!reason.empty()) blamed_ = metric_.line;
  histogram_.reset();
  metric_ = Metric{};
  return reason;
}

Reason OpenMetricsRules::close_family() {
  if (family_.name.empty()) return {};
  if (const Reason reason = close_metric(); !reason.empty()) return reason;
  blamed_ = family_.line;
  const std::string& name = family_.name;
  bool clash = !taken_.insert(name).second;
  for (const std::string_view suffix : suffixes_of(family_.type)) {
    if (!suffix.empty()) clash |= !taken_.insert(name + std::string(suffix)).second;
  }
  if (clash) return "a name that another family has or may use";
  if (family_.unit && !family_.unit->empty()) {
    if (!name.ends_with("_" + *family_.unit)) return "the name does not end with the unit";
    if (family_.type == FamilyType::info || family_.type == FamilyType::state_set) {
      return "a unit for what has none";
    }
  }
  family_ = Family{};
  return {};
}

Reason OpenMetricsRules::open_family(std::string name, uint64_t number) {
  if (const Reason reason = close_family(); !reason.empty()) return reason;
  blamed_ = number;
  family_ = Family{};
  family_.name = std::move(name);
  family_.line = number;
  return {};
}

}  // namespace warpsight::prometheus_text

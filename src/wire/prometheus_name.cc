#include "wire/prometheus_name.h"

#include <algorithm>
#include <optional>

namespace warpsight {
namespace {

struct Unit {
  std::string_view symbol;
  std::string_view singular;
  std::string_view plural;
};

constexpr Unit kUnits[] = {
    {"1", "", ""},
    {"%", "percent", "percent"},
    {"s", "second", "seconds"},
    {"ms", "millisecond", "milliseconds"},
    {"us", "microsecond", "microseconds"},
    {"ns", "nanosecond", "nanoseconds"},
    {"min", "minute", "minutes"},
    {"h", "hour", "hours"},
    {"d", "day", "days"},
    {"wk", "week", "weeks"},
    {"mo", "month", "months"},
    {"a", "year", "years"},
    {"By", "byte", "bytes"},
    {"kBy", "kilobyte", "kilobytes"},
    {"MBy", "megabyte", "megabytes"},
    {"GBy", "gigabyte", "gigabytes"},
    {"TBy", "terabyte", "terabytes"},
    {"KiBy", "kibibyte", "kibibytes"},
    {"MiBy", "mebibyte", "mebibytes"},
    {"GiBy", "gibibyte", "gibibytes"},
    {"TiBy", "tebibyte", "tebibytes"},
    {"bit", "bit", "bits"},
    {"m", "meter", "meters"},
    {"g", "gram", "grams"},
    {"kg", "kilogram", "kilograms"},
    {"V", "volt", "volts"},
    {"A", "ampere", "amperes"},
    {"J", "joule", "joules"},
    {"W", "watt", "watts"},
    {"kW", "kilowatt", "kilowatts"},
    {"Cel", "celsius", "celsius"},
    {"Hz", "hertz", "hertz"},
    {"MHz", "megahertz", "megahertz"},
};

bool is_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Runs of letters and digits with single underscores between them.
std::string words(std::string_view text, bool colons) {
  std::string out;
  bool gap = false;
  for (const char c : text) {
    const bool kept = is_alnum(c) || (colons && c == ':');
    if (!kept) {
      gap = true;
      continue;
    }
    if (gap && !out.empty()) out += '_';
    gap = false;
    out += c;
  }
  return out;
}

void append_words(std::string& name, std::string_view more) {
  if (more.empty()) return;
  if (!name.empty()) name += '_';
  name += more;
}

// Where `part` stands in `name` as whole words.
std::optional<size_t> find_words(std::string_view name, std::string_view part) {
  for (size_t at = name.find(part); at != std::string_view::npos; at = name.find(part, at + 1)) {
    const size_t end = at + part.size();
    const bool starts = at == 0 || name[at - 1] == '_';
    if (starts && (end == name.size() || name[end] == '_')) return at;
  }
  return std::nullopt;
}

// Moves `word` to the end, wherever in the name it was.
void end_with(std::string& name, std::string_view word) {
  while (const auto at = find_words(name, word)) {
    const size_t from = *at > 0 ? *at - 1 : 0;
    name.erase(from, word.size() + 1);
  }
  append_words(name, word);
}

bool ends_with_words(std::string_view name, std::string_view part) {
  return name.size() > part.size() && name.ends_with(part) &&
         name[name.size() - part.size() - 1] == '_';
}

std::string_view drop_last(std::string_view name, std::string_view word) {
  if (ends_with_words(name, word)) name.remove_suffix(word.size() + 1);
  return name;
}

std::string factor_words(std::string_view symbol, bool plural) {
  const auto known = std::ranges::find(kUnits, symbol, &Unit::symbol);
  if (known == std::end(kUnits)) return words(symbol, false);
  return std::string(plural ? known->plural : known->singular);
}

// "kW.h" is kilowatt_hours.
std::string product_words(std::string_view product, bool plural) {
  std::string bare;
  int depth = 0;
  for (const char c : product) {
    depth += c == '{' ? 1 : 0;
    if (depth == 0) bare += c;
    depth -= c == '}' && depth > 0 ? 1 : 0;
  }
  std::string out;
  std::string_view rest = bare;
  while (!rest.empty()) {
    const size_t dot = rest.find('.');
    const bool last = dot == std::string_view::npos;
    append_words(out, factor_words(rest.substr(0, dot), plural && last));
    if (last) break;
    rest.remove_prefix(dot + 1);
  }
  return out;
}

}  // namespace

UnitWords unit_words(std::string_view unit) {
  const size_t slash = unit.find('/');
  UnitWords found{product_words(unit.substr(0, slash), true), {}};
  if (slash != std::string_view::npos) found.per = product_words(unit.substr(slash + 1), false);
  return found;
}

PrometheusName prometheus_name(std::string_view name, std::string_view unit, MetricKind kind) {
  PrometheusName out;
  std::string& sample = out.sample;
  sample = words(name, true);

  std::string phrase;
  if (kind != MetricKind::info) {
    const UnitWords parts = unit_words(unit);
    phrase = parts.main;
    if (!parts.per.empty()) append_words(phrase, "per_" + parts.per);
    if (!parts.main.empty() && !find_words(sample, parts.main)) append_words(sample, parts.main);
    if (!parts.per.empty() && !find_words(sample, parts.per)) {
      append_words(sample, "per_" + parts.per);
    }
  }
  if (kind == MetricKind::gauge && unit == "1") {
    end_with(sample, "ratio");
    phrase = "ratio";
  }
  if (kind == MetricKind::counter) end_with(sample, "total");
  if (kind == MetricKind::info) end_with(sample, "info");
  if (!sample.empty() && sample[0] >= '0' && sample[0] <= '9') sample.insert(0, 1, '_');

  std::string_view family = sample;
  if (kind == MetricKind::counter) family = drop_last(family, "total");
  if (kind == MetricKind::info) family = drop_last(family, "info");
  out.family = family;
  if (!phrase.empty() && ends_with_words(family, phrase)) out.unit = phrase;
  return out;
}

std::string prometheus_label(std::string_view key) {
  std::string label = words(key, false);
  if (!label.empty() && label[0] >= '0' && label[0] <= '9') label.insert(0, "key_");
  return label;
}

}  // namespace warpsight

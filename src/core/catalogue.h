// Every metric is declared once, in metrics.def; everything else refers to it by id.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpsight {

enum class Metric : uint16_t {
#define METRIC(id, ...) id,
#include "core/metrics.def"
};

enum class MetricKind : uint8_t {
  gauge,
  counter,          // monotonic, with a start time
  up_down_counter,  // a sum that may fall
  histogram,
  info,  // value 1, the attributes are the message
};

// How the samples of one publish interval become the published value.
enum class Fold : uint8_t {
  last,
  mean,  // weighted by the time each sample covers
};

struct MetricRow {
  Metric id;
  std::string_view name;
  MetricKind kind;
  std::string_view unit;  // UCUM
  Fold fold;
  std::string_view writers;     // sources, best first, separated by blanks
  std::string_view attributes;  // separated by ';', see metrics.def
  std::string_view aliases;     // separated by blanks
  std::string_view hardware;
  std::string_view meaning;
  bool produced;  // something in this version writes it
};

// The built-in rows.
std::span<const MetricRow> catalogue();

// A row that only a config or a scraped page knows.
struct AddedRow {
  std::string name;
  MetricKind kind = MetricKind::gauge;
  std::string unit;
  std::string writers;
  std::string attributes;
  std::string meaning;
};

inline constexpr size_t kMaxAddedRows = 8192;

// The metric of that name, declared now if it was not. It stays as long as the process. nullopt
// when the name stands for another kind or unit, or when kMaxAddedRows were added.
std::optional<Metric> add_metric(const AddedRow& added);

// Of built-in and added rows: a Metric is less than it.
size_t metric_count();

const MetricRow& row(Metric metric);

std::optional<Metric> find_metric(std::string_view name);

// Place of `source` in the row's list of writers: 0 wins over 1. A source that is not listed
// comes last.
uint8_t writer_rank(const MetricRow& row, std::string_view source);

std::string_view to_string(MetricKind kind);

// Calls fn(key, value) for each attribute that is constant for the metric ("key=value").
template <typename Fn>
void for_each_constant_attribute(const MetricRow& row, Fn&& fn);

// Calls fn(token) for each part of `list` between separators; empty parts are left out.
template <typename Fn>
void for_each_token(std::string_view list, char separator, Fn&& fn) {
  while (!list.empty()) {
    const size_t end = list.find(separator);
    const std::string_view token = list.substr(0, end);
    if (!token.empty()) fn(token);
    if (end == std::string_view::npos) return;
    list.remove_prefix(end + 1);
  }
}

template <typename Fn>
void for_each_constant_attribute(const MetricRow& row, Fn&& fn) {
  for_each_token(row.attributes, ';', [&](std::string_view attribute) {
    const size_t equals = attribute.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view value = attribute.substr(equals + 1);
    if (value.find('|') == std::string_view::npos) fn(attribute.substr(0, equals), value);
  });
}

}  // namespace warpsight

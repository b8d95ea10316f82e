#include "core/catalogue.h"

#include <array>
#include <cstddef>

namespace warpsight {
namespace {

constexpr MetricRow kRows[] = {
#define ROW(produced, id, name, kind, unit, fold, writers, attributes, aliases, hardware, meaning) \
  {Metric::id, name,    MetricKind::kind, unit,    Fold::fold, writers,                            \
   attributes, aliases, hardware,         meaning, produced},
#define METRIC(...) ROW(true, __VA_ARGS__)
#define RESERVED(...) ROW(false, __VA_ARGS__)
#include "core/metrics.def"
#undef ROW
};

}  // namespace

std::span<const MetricRow> catalogue() { return kRows; }

const MetricRow& row(Metric metric) { return kRows[static_cast<size_t>(metric)]; }

std::optional<Metric> find_metric(std::string_view name) {
  for (const MetricRow& candidate : kRows) {
    if (candidate.name == name) return candidate.id;
  }
  return std::nullopt;
}

uint8_t writer_rank(const MetricRow& row, std::string_view source) {
  uint8_t rank = 0;
  uint8_t found = UINT8_MAX;
  for_each_token(row.writers, ' ', [&](std::string_view writer) {
    if (writer == source && found == UINT8_MAX) found = rank;
    ++rank;
  });
  return found;
}

std::string_view to_string(MetricKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"gauge", "counter", "up_down_counter",
                                                      "histogram", "info"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace warpsight

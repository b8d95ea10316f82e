#include "core/catalogue.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <unordered_map>

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

constexpr size_t kBuiltIn = std::size(kRows);

struct KeptRow {
  AddedRow text;
  MetricRow row{};
};

// Rows are only ever added, so that a reader needs no lock: whoever holds a Metric got it after its
// row was there.
class AddedRows {
 public:
  std::optional<Metric> add(const AddedRow& added) {
    const std::lock_guard lock(mutex_);
    if (const auto known = by_name_.find(added.name); known != by_name_.end()) {
      const MetricRow& row = rows_[known->second]->row;
      if (row.kind != added.kind || row.unit != added.unit) return std::nullopt;
      return row.id;
    }
    const size_t index = size_.load(std::memory_order_relaxed);
    if (index == kMaxAddedRows) return std::nullopt;
    auto kept = std::make_unique<KeptRow>();
    kept->text = added;
    const AddedRow& text = kept->text;
    kept->row = {.id = static_cast<Metric>(kBuiltIn + index),
                 .name = text.name,
                 .kind = text.kind,
                 .unit = text.unit,
                 .fold = Fold::last,
                 .writers = text.writers,
                 .attributes = text.attributes,
                 .aliases = {},
                 .hardware = {},
                 .meaning = text.meaning,
                 .produced = true};
    rows_[index] = std::move(kept);
    by_name_.emplace(rows_[index]->row.name, index);
    size_.store(index + 1, std::memory_order_release);
    return rows_[index]->row.id;
  }

  std::optional<Metric> find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto known = by_name_.find(name);
    if (known == by_name_.end()) return std::nullopt;
    return rows_[known->second]->row.id;
  }

  const MetricRow& at(size_t index) const { return rows_[index]->row; }
  size_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;
  std::array<std::unique_ptr<KeptRow>, kMaxAddedRows> rows_;
  std::unordered_map<std::string_view, size_t> by_name_;
  std::atomic<size_t> size_ = 0;
};

AddedRows& added_rows() {
  static AddedRows rows;
  return rows;
}

}  // namespace

std::span<const MetricRow> catalogue() { return kRows; }

std::optional<Metric> add_metric(const AddedRow& added) {
  for (const MetricRow& known : kRows) {
    if (known.name != added.name) continue;
    const bool same = known.kind == added.kind && known.unit == added.unit;
    return same ? std::optional(known.id) : std::nullopt;
  }
  return added_rows().add(added);
}

size_t metric_count() { return kBuiltIn + added_rows().size(); }

const MetricRow& row(Metric metric) {
  const auto index = static_cast<size_t>(metric);
  return index < kBuiltIn ? kRows[index] : added_rows().at(index - kBuiltIn);
}

std::optional<Metric> find_metric(std::string_view name) {
  for (const MetricRow& candidate : kRows) {
    if (candidate.name == name) return candidate.id;
  }
  return added_rows().find(name);
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

// What makes a series the same one, after a restart too: its metric and its attributes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.h"
#include "core/entity.h"
#include "history/value_unit.h"

namespace warpsight {

struct SeriesIdentity {
  std::string metric;
  std::string unit;
  MetricKind kind = MetricKind::gauge;
  std::vector<Attribute> attributes;

  friend bool operator==(const SeriesIdentity&, const SeriesIdentity&) = default;
};

// A series in the database or about to be.
struct SeriesRow {
  uint32_t id = 0;
  SeriesIdentity identity;
  int64_t first = 0;  // milliseconds
  int64_t last = 0;   // when it ended; zero: it has not
};

// Whether what it gained can be told.
inline bool counts_up(MetricKind kind) {
  return kind == MetricKind::counter || kind == MetricKind::histogram;
}

inline Precision precision_of(MetricKind kind) {
  return kind == MetricKind::gauge ? Precision::fine : Precision::exact;
}

// The upper half is of the metric alone: the series of one metric lie together. The same in every
// version.
uint64_t hash_of(const SeriesIdentity& identity);
// The first hash a series of that metric can have; the last one is UINT32_MAX higher.
uint64_t first_hash(std::string_view metric);

std::string pack_attributes(const std::vector<Attribute>& attributes);
// Empty for bytes that are none.
std::vector<Attribute> unpack_attributes(std::string_view bytes);

}  // namespace warpsight

// A table's rules by the names that stand on the page.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sources/engines/tables/table.h"

namespace warpsight::engines {

// Which part of a value a sample is. All but histograms are whole in one.
enum class Part : uint8_t { value, bucket, sum, count, created };

struct NameUse {
  uint32_t rule;       // index in EngineTable::metrics
  uint16_t candidate;  // place of the name in MetricRule::from: the lowest on the page counts
  Part part;
};

class TableNames {
 public:
  // As the engine's own page has them, or as the re-exporting server's has.
  TableNames(const EngineTable& table, const ReExport* via);

  // Empty for a name without a rule.
  std::span<const NameUse> find(std::string_view name) const;

 private:
  void add(const MetricRule& rule, const std::string& name, NameUse use);

  std::map<std::string, std::vector<NameUse>, std::less<>> uses_;
};

// "x" for "x_total"; what ends otherwise stays.
std::string_view without_total(std::string_view name);

}  // namespace warpsight::engines

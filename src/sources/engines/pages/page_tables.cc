#include "sources/engines/pages/page_tables.h"

#include <algorithm>
#include <tuple>

namespace warpsight::engines {

void PageTables::expect(const EngineTable* engine) {
  expected_ = engine;
  found_.clear();
  if (engine != nullptr) add({engine, nullptr});
}

TableOnPage& PageTables::add(Origin origin) {
  const auto known = std::ranges::find_if(found_, [&](const TableOnPage& found) {
    return found.table == origin.table && found.via == origin.via;
  });
  if (known != found_.end()) return *known;
  return found_.emplace_back(origin.table, origin.via, TableNames(*origin.table, origin.via));
}

bool PageTables::meet(std::string_view name) {
  const Origin origin = origin_of(name);
  return origin.table != nullptr && add(origin).series++ == 0;
}

PageTables::Origin PageTables::origin_of(std::string_view name) const {
  if (const Origin origin = by_prefix(name); origin.table != nullptr) return origin;
  if (expected_ != nullptr) {
    const bool its = std::ranges::find(expected_->signs, name) != expected_->signs.end() ||
                     !found_.front().names.find(name).empty();
    return its ? Origin{expected_} : Origin{};
  }
  for (const EngineTable& table : tables_.all()) {
    if (std::ranges::find(table.signs, name) != table.signs.end()) return {&table};
  }
  return {};
}

PageTables::Origin PageTables::by_prefix(std::string_view name) const {
  Origin best;
  size_t longest = 0;
  const auto consider = [&](std::string_view prefix, Origin origin) {
    const bool better = prefix.size() > longest ||
                        (prefix.size() == longest && longest > 0 && origin.table == expected_);
    if (!better || !name.starts_with(prefix)) return;
    longest = prefix.size();
    best = origin;
  };
  for (const EngineTable& table : tables_.all()) {
    for (const std::string& prefix : table.prefixes) consider(prefix, {&table});
    for (const ReExport& via : table.re_exports) consider(via.prefix, {&table, &via});
  }
  return best;
}

NameMeaning PageTables::meaning(std::string_view name) const {
  const Origin origin = by_prefix(name);
  NameMeaning fallback;
  for (const TableOnPage& found : found_) {
    if (found.series == 0) continue;
    const auto uses = found.names.find(name);
    if (uses.empty()) continue;
    if (found.table == origin.table && found.via == origin.via) return {&found, uses};
    if (fallback.table == nullptr && found.via == nullptr) fallback = {&found, uses};
  }
  return fallback;
}

std::vector<const TableOnPage*> PageTables::ranked() const {
  std::vector<const TableOnPage*> tables;
  for (const TableOnPage& found : found_) {
    if (found.series > 0) tables.push_back(&found);
  }
  const auto rank = [&](const TableOnPage* found) {
    return std::tuple(found->table != expected_, found->via != nullptr,
                      -static_cast<int64_t>(found->series));
  };
  std::ranges::stable_sort(tables, {}, rank);
  return tables;
}

const TableOnPage* PageTables::main() const {
  const auto tables = ranked();
  return tables.empty() ? nullptr : tables.front();
}

std::vector<const EngineTable*> PageTables::engines() const {
  std::vector<const EngineTable*> engines;
  for (const TableOnPage* found : ranked()) {
    if (std::ranges::find(engines, found->table) == engines.end()) engines.push_back(found->table);
  }
  return engines;
}

}  // namespace warpsight::engines

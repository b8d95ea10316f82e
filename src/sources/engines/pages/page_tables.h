// Which tables a page speaks of, and whose a name on it is.
#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "sources/engines/pages/table_names.h"
#include "sources/engines/tables/table.h"

namespace warpsight::engines {

struct TableOnPage {
  const EngineTable* table;
  const ReExport* via;  // nullptr: the engine's own page
  TableNames names;
  size_t series = 0;  // that speak for its being there

  std::string_view via_name() const {
    return via == nullptr ? std::string_view() : std::string_view(via->via);
  }
};

struct NameMeaning {
  const TableOnPage* table = nullptr;
  std::span<const NameUse> uses;  // empty: the name has no rule
};

class PageTables {
 public:
  explicit PageTables(const EngineTables& tables) : tables_(tables) {}

  // The page is this engine's: names without a prefix are its own. nullptr: not known. Forgets what
  // was met.
  void expect(const EngineTable* engine);

  // A series of this name is on the page. True when that finds a table that was not found yet.
  bool meet(std::string_view name);

  // A name with a prefix is that table's; another one is the expected engine's, or that of the
  // first table found which has a rule for it.
  NameMeaning meaning(std::string_view name) const;

  // Tables that were found, the one that the page is about first. nullptr when there is none.
  const TableOnPage* main() const;
  std::vector<const EngineTable*> engines() const;

 private:
  struct Origin {
    const EngineTable* table = nullptr;
    const ReExport* via = nullptr;
  };

  Origin origin_of(std::string_view name) const;
  Origin by_prefix(std::string_view name) const;
  TableOnPage& add(Origin origin);
  std::vector<const TableOnPage*> ranked() const;

  const EngineTables& tables_;
  const EngineTable* expected_ = nullptr;
  std::deque<TableOnPage> found_;  // the expected one is first
};

}  // namespace warpsight::engines

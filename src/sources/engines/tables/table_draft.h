// A table as its text has it, before its metrics are declared: nothing of a text with a mistake is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/window_rules.h"
#include "sources/engines/tables/table.h"
#include "sources/engines/tables/table_yaml.h"

namespace warpsight::engines {

// A metric that the table declares, or one of the catalogue where `built_in`.
struct DraftMetric {
  AddedRow row;
  YamlPlace place;
  bool built_in = false;
};

struct DraftTerm {
  std::string name;
  WindowTerm::Part part = WindowTerm::Part::value;
};

struct DraftWindow {
  DraftMetric to;
  WindowRule::Kind kind = WindowRule::Kind::rate;
  std::vector<DraftTerm> over, under;
};

struct TableDraft {
  EngineTable table;                            // rules without `own`
  std::vector<std::optional<DraftMetric>> own;  // one for each rule
  std::vector<DraftWindow> windows;
};

// Notes what is wrong; the draft is whole only when nothing was.
TableDraft read_table(const YamlNode& root, TableMistakes& mistakes);

}  // namespace warpsight::engines

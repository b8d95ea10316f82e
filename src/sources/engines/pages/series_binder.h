// Finds, by a table's rules, what a series of a page goes into.
#pragma once

#include <vector>

#include "core/entity.h"
#include "sources/engines/pages/bindings.h"
#include "sources/engines/pages/page_tables.h"
#include "sources/engines/pages/series_text.h"
#include "sources/engines/pages/subjects.h"

namespace warpsight::engines {

struct BinderSettings {
  bool own = true;
  bool common = true;
  bool merge_ranks = false;
};

class SeriesBinder {
 public:
  SeriesBinder(SubjectMaker& subjects, EntityTable& entities, BinderSettings settings)
      : subjects_(subjects), entities_(entities), settings_(settings) {}

  // Adds what the series is by each rule that its name has.
  void bind(SeriesId id, const SeriesText& series, const NameMeaning& meaning, Bindings& out);

 private:
  // One label by its rule; `rule` is nullptr where it has none.
  struct Ruled {
    const LabelRule* rule;
    std::string_view label;
    std::string_view value;
  };
  struct Use {
    const TableOnPage& table;
    const MetricRule& rule;
  };

  void apply_label_rules(const SeriesText& series, const TableOnPage& table);
  // Fill `telling_` and `facet_`; false when the series is none of that name's.
  void describe_own(const Use& use);
  bool describe_common(const Use& use, const MetricRow& common);
  // Of the telling labels as last described.
  bool told_by_another(const Use& use);
  EntityId make_entity(const Use& use);
  uint32_t own_slot(const Use& use, Bindings& out);
  uint32_t common_slot(const Use& use, Bindings& out);

  SubjectMaker& subjects_;
  EntityTable& entities_;
  BinderSettings settings_;
  std::vector<Ruled> labels_;
  std::vector<AttributeView> telling_;
  std::vector<AttributeView> facet_;
};

}  // namespace warpsight::engines

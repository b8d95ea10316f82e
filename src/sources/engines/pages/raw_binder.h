// Binds series under their upstream names.
#pragma once

#include <span>

#include "core/entity.h"
#include "sources/engines/pages/bindings.h"
#include "sources/engines/pages/raw_names.h"
#include "sources/engines/pages/series_text.h"

namespace warpsight::engines {

class RawBinder {
 public:
  RawBinder(EntityTable& entities, RawNames& names) : entities_(entities), names_(names) {}

  // A series of something below `subject`, with all its labels as they are.
  void bind(SeriesId id, const SeriesText& series, EntityId subject, Bindings& out);

 private:
  EntityTable& entities_;
  RawNames& names_;
  std::vector<AttributeView> labels_;
};

}  // namespace warpsight::engines

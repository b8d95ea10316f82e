// The things that a page's series are about.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/entity.h"
#include "sources/engines/tables/table.h"

namespace warpsight::engines {

class SubjectMaker {
 public:
  virtual ~SubjectMaker() = default;

  // What series with these attributes (of labels that tell the subject, as the table names them)
  // are about. `via` is the server that re-exports the engine's names; empty: the engine itself.
  // kNoEntity: nothing we can speak of.
  virtual EntityId subject(const EngineTable& table, std::string_view via,
                           std::span<const AttributeView> telling) = 0;

  // Whether the subject may be ended when it is no longer on the page.
  virtual bool owned(EntityId subject) const = 0;

  // Changes whenever subject() would answer differently than before: what was made earlier is to be
  // asked for anew.
  virtual uint64_t revision() const { return 0; }
};

}  // namespace warpsight::engines

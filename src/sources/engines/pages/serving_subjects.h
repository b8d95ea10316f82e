// The engines behind one address and the models they serve.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/entity.h"
#include "sources/engines/pages/subjects.h"

namespace warpsight::engines {

// What a setter changes is a part of what an engine is: it returns the engines that are thereby no
// more, to be ended by the caller; those that follow are made when they are next asked for.
class ServingSubjects final : public SubjectMaker {
 public:
  using Ended = std::vector<EntityId>;

  // `address` is the server's as people write it ("127.0.0.1:8000").
  ServingSubjects(EntityTable& entities, std::string_view address)
      : entities_(entities), address_(address) {}

  // The kind of requests served, as gen_ai.operation.name has it; empty: not known.
  Ended set_operation(std::string_view operation) { return change(operation_, operation); }
  // The release of the engine that answers here, by its table's name; empty: not known. One that
  // only re-exports says nothing of the engine's release.
  Ended set_version(std::string_view engine, std::string_view version);

  // The engine itself. A model, which is below it, has attributes that tell it from others.
  EntityId engine(const EngineTable& table, std::string_view via = {});

  EntityId subject(const EngineTable& table, std::string_view via,
                   std::span<const AttributeView> telling) override;
  // Models are; an engine stays while its address does.
  bool owned(EntityId subject) const override;
  uint64_t revision() const override { return revision_; }

  // Nothing answers here any more.
  Ended end();

 private:
  Ended change(std::string& value, std::string_view now);

  EntityTable& entities_;
  std::string address_;
  std::string operation_;
  std::map<std::string, std::string, std::less<>> versions_;  // by engine
  std::vector<EntityId> engines_;
  uint64_t revision_ = 0;
};

}  // namespace warpsight::engines

#include "sources/engines/pages/serving_subjects.h"

#include <algorithm>
#include <utility>

namespace warpsight::engines {

ServingSubjects::Ended ServingSubjects::set_version(std::string_view engine,
                                                    std::string_view version) {
  return change(versions_[std::string(engine)], version);
}

ServingSubjects::Ended ServingSubjects::change(std::string& value, std::string_view now) {
  if (value == now) return {};
  value = now;
  return end();
}

ServingSubjects::Ended ServingSubjects::end() {
  ++revision_;
  return std::exchange(engines_, {});
}

EntityId ServingSubjects::engine(const EngineTable& table, std::string_view via) {
  const auto version = versions_.find(table.name);
  const bool released = via.empty() && version != versions_.end();
  std::vector<AttributeView> attributes = {
      {"llm.engine", table.name},
      {"llm.engine.version", released ? std::string_view(version->second) : std::string_view()},
      {"server.address", address_},
      {"llm.engine.via", via},
      {".operation", operation_},
      {".provider", table.provider},
  };
  std::erase_if(attributes, [](const AttributeView& a) { return a.value.empty(); });
  const EntityId engine = entities_.intern(EntityKind::engine, kNoEntity, attributes);
  if (engine && std::ranges::find(engines_, engine) == engines_.end()) engines_.push_back(engine);
  return engine;
}

EntityId ServingSubjects::subject(const EngineTable& table, std::string_view via,
                                  std::span<const AttributeView> telling) {
  const EntityId made = engine(table, via);
  if (!made || telling.empty()) return made;
  return entities_.intern(EntityKind::model, made, telling);
}

bool ServingSubjects::owned(EntityId subject) const {
  return entities_.get(subject).kind == EntityKind::model;
}

}  // namespace warpsight::engines

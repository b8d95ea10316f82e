// The GPUs of this node as another exporter's page names them: those the driver's source knows
// already, so that nothing is told twice, and new ones where there is no such source.
#pragma once

#include <vector>

#include "core/batch.h"
#include "sources/engines/pages/subjects.h"

namespace warpsight::engines {

class GpuSubjects final : public SubjectMaker {
 public:
  explicit GpuSubjects(EntityTable& entities) : entities_(entities) {}

  EntityId subject(const EngineTable& table, std::string_view via,
                   std::span<const AttributeView> telling) override;
  bool owned(EntityId subject) const override;

  // Whether a GPU that had to be made here is known to another source by now, or one of another
  // source has ended: then all that was told ends, and forget() lets it be looked up anew.
  bool outdated() const;
  void forget();

 private:
  struct Identity {
    std::string_view index, uuid, model, pci, mig_id, mig_profile;
  };

  EntityId give(EntityId known);
  EntityId gpu_of(const Identity& identity);
  EntityId mig_of(EntityId gpu, const Identity& identity);
  // Of another source; kNoEntity when there is none.
  EntityId known_gpu(std::string_view uuid, std::string_view pci) const;

  EntityTable& entities_;
  std::vector<EntityId> made_;
  std::vector<EntityId> given_;  // of other sources
};

}  // namespace warpsight::engines

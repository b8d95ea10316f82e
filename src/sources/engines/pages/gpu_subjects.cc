#include "sources/engines/pages/gpu_subjects.h"

#include <algorithm>
#include <string>

#include "sources/nvml/text.h"

namespace warpsight::engines {
namespace {

// Marks entities made here: no other source interns the same.
constexpr AttributeView kMark = {".from", "dcgm"};

std::string_view attribute_of(const Entity& entity, std::string_view key) {
  const auto found = std::ranges::find(entity.attributes, key, &Attribute::key);
  return found == entity.attributes.end() ? std::string_view() : std::string_view(found->value);
}

bool is_ours(const Entity& entity) { return !attribute_of(entity, kMark.key).empty(); }

std::vector<AttributeView> present(std::initializer_list<AttributeView> attributes) {
  std::vector<AttributeView> some;
  std::ranges::copy_if(attributes, std::back_inserter(some),
                       [](const AttributeView& a) { return !a.value.empty(); });
  return some;
}

}  // namespace

EntityId GpuSubjects::subject(const EngineTable& /*table*/, std::string_view /*via*/,
                              std::span<const AttributeView> telling) {
  Identity identity;
  for (const auto& [key, value] : telling) {
    if (key == "gpu.index") identity.index = value;
    if (key == "gpu.uuid") identity.uuid = value;
    if (key == "gpu.model") identity.model = value;
    if (key == ".pci") identity.pci = value;
    if (key == "gpu.mig.instance_id") identity.mig_id = value;
    if (key == "gpu.mig.profile") identity.mig_profile = value;
  }
  if (identity.uuid.empty() && identity.pci.empty()) return kNoEntity;
  const EntityId gpu = gpu_of(identity);
  return identity.mig_id.empty() ? gpu : mig_of(gpu, identity);
}

EntityId GpuSubjects::give(EntityId known) {
  if (std::ranges::find(given_, known) == given_.end()) given_.push_back(known);
  return known;
}

EntityId GpuSubjects::gpu_of(const Identity& identity) {
  const std::string pci = nvml::normal_pci_address(identity.pci);
  if (const EntityId known = known_gpu(identity.uuid, pci)) return give(known);
  auto attributes = present({{"gpu.index", identity.index},
                             {"gpu.uuid", identity.uuid},
                             {"gpu.model", identity.model},
                             {"gpu.vendor", "nvidia"},
                             {".pci", pci},
                             kMark});
  const EntityId made = entities_.intern(EntityKind::gpu, kNoEntity, attributes);
  if (made && std::ranges::find(made_, made) == made_.end()) made_.push_back(made);
  return made;
}

EntityId GpuSubjects::mig_of(EntityId gpu, const Identity& identity) {
  EntityId known;
  entities_.for_each(EntityKind::mig, [&](EntityId id, const Entity& mig) {
    const bool same = mig.parent == gpu &&
                      attribute_of(mig, "gpu.mig.instance_id") == identity.mig_id && !is_ours(mig);
    if (same) known = id;
  });
  if (known) return give(known);
  auto attributes = present({{"gpu.mig.instance_id", identity.mig_id},
                             {"gpu.mig.profile", identity.mig_profile},
                             {"gpu.mig.parent_uuid", identity.uuid},
                             kMark});
  const EntityId made = entities_.intern(EntityKind::mig, gpu, attributes);
  if (made && std::ranges::find(made_, made) == made_.end()) made_.push_back(made);
  return made;
}

EntityId GpuSubjects::known_gpu(std::string_view uuid, std::string_view pci) const {
  EntityId known;
  entities_.for_each(EntityKind::gpu, [&](EntityId id, const Entity& gpu) {
    if (is_ours(gpu)) return;
    const std::string_view its_uuid = attribute_of(gpu, "gpu.uuid");
    const bool same = uuid.empty() || its_uuid.empty()
                          ? !pci.empty() && attribute_of(gpu, ".pci") == pci
                          : its_uuid == uuid;
    if (same) known = id;
  });
  return known;
}

bool GpuSubjects::owned(EntityId subject) const {
  return std::ranges::find(made_, subject) != made_.end();
}

void GpuSubjects::forget() {
  made_.clear();
  given_.clear();
}

bool GpuSubjects::outdated() const {
  const auto ended = [&](EntityId id) { return !entities_.alive(id); };
  if (std::ranges::any_of(given_, ended)) return true;
  return std::ranges::any_of(made_, [&](EntityId made) {
    const Entity entity = entities_.get(made);
    if (!entities_.alive(made) || entity.kind != EntityKind::gpu) return false;
    return static_cast<bool>(
        known_gpu(attribute_of(entity, "gpu.uuid"), attribute_of(entity, ".pci")));
  });
}

}  // namespace warpsight::engines

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simulate/parse.h"

namespace warpsight::simulate {
namespace {

constexpr std::array<std::string_view, 5> kKeys = {"kind", "gpu", "mig", "pids", "attributes"};
constexpr std::array<std::pair<std::string_view, OwnerKind>, 4> kKinds = {
    {{"pod", OwnerKind::pod},
     {"slurm_job", OwnerKind::slurm_job},
     {"container", OwnerKind::container},
     {"process", OwnerKind::process}}};
constexpr std::array<std::string_view, 4> kPrefixes = {"k8s.", "slurm.", "container.", "process."};
constexpr std::size_t kMaxPids = 64;
constexpr std::size_t kMaxAttributes = 32;
constexpr std::size_t kLongest = 253;

// What an owner of a kind is called by.
std::string_view needed(OwnerKind kind) {
  switch (kind) {
    case OwnerKind::pod: return "k8s.pod.name";
    case OwnerKind::slurm_job: return "slurm.job.id";
    case OwnerKind::container: return "container.id";
    case OwnerKind::process: break;
  }
  return "process.executable.name";
}

std::vector<Attribute> parse_attributes(Reader& reader, const YamlNode& node) {
  std::vector<Attribute> attributes;
  if (node.kind != YamlNode::Kind::map || node.children.size() > 2 * kMaxAttributes) {
    reader.fail(node, fmt::format("a map of at most {} attributes is expected", kMaxAttributes));
    return attributes;
  }
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    Attribute attribute;
    reader.text(reader.child(node, i), attribute.key, kLongest);
    reader.text(reader.child(node, i + 1), attribute.value, kLongest);
    const auto begins = [&](std::string_view prefix) { return attribute.key.starts_with(prefix); };
    if (std::ranges::none_of(kPrefixes, begins)) {
      reader.fail(reader.child(node, i), "is no attribute of an owner",
                  "its name begins with k8s., slurm., container. or process.");
    }
    if (std::ranges::find(attributes, attribute.key, &Attribute::key) != attributes.end()) {
      reader.fail(reader.child(node, i), "is given twice");
    }
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

ScenarioOwner parse_owner(Reader& reader, const YamlNode& node, const Scenario& scenario) {
  const MapView map(reader, node, kKeys);
  ScenarioOwner owner;
  map.choice("kind", owner.kind, kKinds);
  if (const YamlNode* gpus = map.find("gpu")) {
    owner.gpus = parse_gpu_selector(reader, *gpus, scenario.gpus.size());
  }
  if (map.has("mig")) {
    std::size_t instances = kMaxMigInstances;
    for (std::size_t g = 0; g < scenario.gpus.size(); ++g) {
      if ((owner.gpus >> g & 1) != 0) instances = std::min(instances, scenario.gpus[g].mig.size());
    }
    unsigned mig = 0;
    if (instances == 0) reader.fail(node, "there are no MIG instances on the GPU");
    map.integer("mig", mig, instances == 0 ? 0 : instances - 1);
    owner.mig = static_cast<int>(mig);
  }
  if (const YamlNode* pids = map.find("pids");
      pids != nullptr && reader.sequence(*pids, kMaxPids)) {
    for (std::size_t i = 0; i < pids->children.size(); ++i) {
      reader.integer(reader.child(*pids, i), owner.pids.emplace_back(), kHighestPid);
    }
  }
  if (const YamlNode* attributes = map.find("attributes")) {
    owner.attributes = parse_attributes(reader, *attributes);
  }
  const std::string_view name = needed(owner.kind);
  if (std::ranges::find(owner.attributes, name, &Attribute::key) == owner.attributes.end()) {
    reader.fail(node, fmt::format("an owner of this kind needs the attribute {}", name));
  }
  return owner;
}

}  // namespace

void parse_owners(Reader& reader, const YamlNode& node, Scenario& scenario) {
  if (!reader.sequence(node, kMaxOwners)) return;
  for (std::size_t i = 0; i < node.children.size() && !reader.failed(); ++i) {
    scenario.owners.push_back(parse_owner(reader, reader.child(node, i), scenario));
  }
}

}  // namespace warpsight::simulate

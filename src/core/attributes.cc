#include "core/attributes.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace warpsight {

bool shows(MetricKind kind, const Worn& worn) {
  return kind == MetricKind::gauge || (worn.on_counters && kind == MetricKind::counter);
}

std::vector<Attribute> attributes_of(const EntityTable& entities, EntityId entity,
                                     const MetricRow* row, std::span<const Attribute> more) {
  std::vector<Attribute> all;
  const auto add = [&](std::string_view key, std::string_view value) {
    const auto known = std::ranges::find(all, key, &Attribute::key);
    if (known == all.end()) {
      all.push_back({std::string(key), std::string(value)});
    } else {
      known->value = value;
    }
  };
  entities.for_each_attribute(entity, add);
  if (row != nullptr) {
    if (const auto worn = entities.worn(entity); worn && shows(row->kind, *worn)) {
      for (const Attribute& a : worn->attributes) add(a.key, a.value);
    }
    for_each_constant_attribute(*row, add);
  }
  for (const Attribute& a : more) {
    if (!is_private(a.key)) add(a.key, a.value);
  }
  return all;
}

}  // namespace warpsight

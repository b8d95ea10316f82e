#include "core/attributes.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace warpsight {

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
  if (row != nullptr) for_each_constant_attribute(*row, add);
  for (const Attribute& a : more) {
    if (!is_private(a.key)) add(a.key, a.value);
  }
  return all;
}

}  // namespace warpsight

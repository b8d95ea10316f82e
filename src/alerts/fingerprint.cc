#include "alerts/fingerprint.h"

#include <algorithm>

namespace warpsight::alerts {

std::vector<Attribute> chosen(std::span<const Attribute> attributes,
                              std::span<const std::string> keys) {
  std::vector<Attribute> out;
  for (const std::string& key : keys) {
    const auto found = std::ranges::find(attributes, key, &Attribute::key);
    if (found != attributes.end()) out.push_back(*found);
  }
  return out;
}

}  // namespace warpsight::alerts

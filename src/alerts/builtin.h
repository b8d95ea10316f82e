// The shipped rules, as they stand in src/alerts/builtin/rules.yaml.
#pragma once

#include <string_view>

namespace warpsight::alerts {

std::string_view builtin_rules_text();

}  // namespace warpsight::alerts

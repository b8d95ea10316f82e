// The texts of the tables that travel inside the program; generated from builtin/*.yaml.
#pragma once

#include <span>
#include <string_view>

namespace warpsight::engines {

struct BuiltinTable {
  std::string_view name, yaml;
};

// Sorted by name.
std::span<const BuiltinTable> builtin_tables();

}  // namespace warpsight::engines

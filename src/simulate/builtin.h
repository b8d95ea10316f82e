// The texts of the scenarios that travel inside the program; generated from scenarios/*.yaml.
#pragma once

#include <span>
#include <string_view>

namespace warpsight::simulate {

struct BuiltinText {
  std::string_view name, text;
};

// Sorted by name.
std::span<const BuiltinText> builtin_texts();

}  // namespace warpsight::simulate

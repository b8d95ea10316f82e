// What a GPU is, written as the keys of a scenario's GPU.
#pragma once

#include <string>

#include "sources/nvml/library.h"

namespace warpsight::nvml {

// Lines of YAML at the given indentation. Nothing in them tells one GPU of a model from another,
// its PCI address aside.
std::string record_facts(const Library& lib, abi::Device device, std::string_view indent);

// A YAML scalar in double quotes.
std::string quoted(std::string_view text);

}  // namespace warpsight::nvml

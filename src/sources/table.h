// Every source there is. A new one costs a line in table.cc.
#pragma once

#include <span>
#include <string_view>

#include "runtime/source.h"

namespace warpsight {

std::span<const SourceDef> source_table();

// nullptr when there is no such source.
const SourceDef* find_source(std::string_view name);

}  // namespace warpsight

// Which series the history knows.
#pragma once

#include <string>
#include <vector>

#include "history/query.h"

namespace warpsight {

// {"series":[{"metric","unit","kind","attributes":{},"first","last"}]}
void append_known_json(std::string& out, const std::vector<KnownSeries>& known);

}  // namespace warpsight

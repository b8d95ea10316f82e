// What was found, in a few lines for a person.
#pragma once

#include <string>
#include <vector>

#include "app/pipeline.h"

namespace warpsight {

struct SummaryLine {
  bool good = true;
  std::string text;
};

// GPUs by model, the other sources, and what could not be read with what to do about it.
std::vector<SummaryLine> summarize(Pipeline& pipeline);

}  // namespace warpsight

// Nodes as plain text, for --once.
#pragma once

#include <string>
#include <vector>

#include "top/canvas.h"
#include "top/node.h"

namespace warpsight::top {

// GPUs with their owners, processes, engines, and alerts that are not over; without escape codes,
// at most `width` columns wide.
std::string once_text(const std::vector<Node>& nodes, int width, Charset charset);

}  // namespace warpsight::top

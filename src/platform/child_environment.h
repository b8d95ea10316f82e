// What a child is started with: its program's file and its environment.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace warpsight {

// The path itself when it has a slash, else the first executable of that name in PATH.
Result<std::string> find_program(const std::string& name);

// The agent's environment (when inherited) without what the service manager means for the agent
// alone, and `extra` ("NAME=value") over it.
std::vector<std::string> child_environment(const std::vector<std::string>& extra, bool inherit);

}  // namespace warpsight

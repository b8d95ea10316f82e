// Who started whom, as /proc tells.
#pragma once

#include <string>

namespace warpsight::engines {

// 0: there is no such process, or it cannot be seen. `root` is that of /proc.
int parent_process(const std::string& root, int pid);

// Whether `pid` is `ancestor` or was started by it, at most eight generations down.
bool descends_from(const std::string& root, int pid, int ancestor);

}  // namespace warpsight::engines

// Which file systems are worth measuring, from the text of a mountinfo file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpsight::host {

struct Mount {
  std::string device;  // what was mounted: /dev/sda1, a ZFS dataset
  std::string point;   // where
};

inline constexpr size_t kMaxMounts = 128;

// Local file systems, each once however often it is bound elsewhere, at its shortest mount
// point. Left out is everything that looking at might block: network and unknown types, and what
// is mounted below one of those.
std::vector<Mount> measurable_mounts(std::string_view mountinfo);

}  // namespace warpsight::host

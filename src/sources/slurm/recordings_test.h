// For tests: what real Slurms said, kept under tests/data/slurm.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace warpsight::slurm {

inline std::string recording(std::string_view name) {
  std::ifstream file(std::string(WARPSIGHT_SOURCE_DIR "/tests/data/slurm/") + std::string(name));
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

}  // namespace warpsight::slurm

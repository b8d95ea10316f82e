// For tests: what real Slurms said, kept under tests/data/slurm.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/places.h"

namespace warpsight::slurm {

inline std::string recording(std::string_view name) {
  std::ifstream file(std::string(WARPSIGHT_SOURCE_DIR "/tests/data/slurm/") + std::string(name));
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// What scontrol says of one job alone, among the jobs of a recording.
inline std::string recorded_job(std::string_view name, int id) {
  std::istringstream lines(recording(name));
  const std::string begin = "JobId=" + std::to_string(id) + " ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin)) return line + "\n";
  }
  return {};
}

}  // namespace warpsight::slurm

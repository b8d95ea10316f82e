// What a process costs: the agent itself and its probe children.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "platform/file.h"

namespace warpsight {

struct ProcessStats {
  double cpu_seconds = 0;  // user and system, of the process's life
  std::uint64_t rss_bytes = 0;
  std::uint64_t threads = 0;
};

// Reads one process again and again, without allocating once warm. Process ids are of the agent's
// own namespace, hence always of the real /proc; another root is for tests.
class ProcessStatsReader {
 public:
  // pid 0 is the calling process.
  explicit ProcessStatsReader(pid_t pid = 0, std::string_view root = "/");

  // Fails when the process is gone.
  Result<ProcessStats> read();
  // The proportional share of memory, in bytes. The kernel walks every mapping for it: read it
  // rarely. Nothing where the kernel or permissions do not give it.
  std::optional<std::uint64_t> read_pss();

 private:
  FileReader stat_;
  FileReader smaps_rollup_;
  std::string buffer_;
};

// Open descriptors, or nothing when they may not be counted.
std::optional<std::size_t> count_open_fds(pid_t pid = 0, std::string_view root = "/");

}  // namespace warpsight

// What a spool may keep, and how.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/clock.h"
#include "platform/file.h"
#include "wire/compression.h"

namespace warpsight {

struct SpoolSettings {
  std::string directory = {};  // made when needed; empty: nothing is kept
  uint64_t size = uint64_t{256} << 20;
  Duration age = std::chrono::hours{48};
  SyncPolicy sync = SyncPolicy::interval;
  Duration sync_interval = std::chrono::seconds{10};
  // Of what is kept. A publish is mostly names and labels: zstd makes less than a tenth of it.
  Compression compression = Compression::none;
  // As writev(2); tests put a disk here that fills up.
  ssize_t (*write)(int fd, const iovec* parts, int count) = ::writev;

  // Segments are dropped whole at the size limit, so they are small beside it.
  uint64_t segment_size() const {
    constexpr uint64_t kLeast = uint64_t{64} << 10;
    constexpr uint64_t kMost = uint64_t{4} << 20;
    return std::clamp(size / 32, kLeast, kMost);
  }
};

}  // namespace warpsight

// A file of lines that is rotated, survives being moved away, and never holds half a line.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/result.h"
#include "platform/fd.h"
#include "platform/file.h"

namespace warpsight {

struct LineFileConfig {
  std::string path;
  uint64_t rotate_size = 0;  // bytes; 0: any size
  Duration rotate_age{};     // 0: any age
  int64_t keep = 0;          // rotated files: path.1 is the newest
  SyncPolicy sync = SyncPolicy::never;
  Duration sync_interval{};
};

class LineFile {
 public:
  LineFile(LineFileConfig config, const Clock& clock);

  // Appends whole lines. After an error nothing of them is in the file, so the caller may try the
  // same lines again. Makes the directory; opens the file anew where somebody moved it away.
  Result<> append(std::string_view lines);

 private:
  Result<> ensure_open();
  Result<> open();
  bool moved_away() const;
  bool due(uint64_t more) const;
  Result<> rotate();
  Result<> write(std::string_view lines);
  Result<> sync();

  LineFileConfig config_;
  const Clock& clock_;
  Fd fd_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  bool regular_ = false;
  uint64_t size_ = 0;
  Time born_{};
  Time synced_{};
  bool unsynced_ = false;
};

}  // namespace warpsight

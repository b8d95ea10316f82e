// Small files, mostly of procfs and sysfs, under a root that tests and containers choose.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "platform/fd.h"

namespace warpsight {

inline constexpr std::size_t kSmallFileLimit = std::size_t{64} * 1024;

// When a writer waits for the disk.
enum class SyncPolicy : uint8_t { never, interval, always };

// By its name; anything else is never.
SyncPolicy sync_policy(std::string_view name);

// under_root("/host", "/proc/stat") is "/host/proc/stat"; root "/" or "" changes nothing.
std::string under_root(std::string_view root, std::string_view path);

Result<Fd> open_for_reading(const std::string& path);

// The whole file; fails when it is larger than `limit`.
Result<std::string> read_file(const std::string& path, std::size_t limit = kSmallFileLimit);

// Replaces the file in one step: readers see the old bytes or the new ones, also after a power
// cut. The temporary file stands beside it.
Result<> write_file_atomically(const std::string& path, std::string_view bytes, mode_t mode = 0644);

// Reads one file again and again through one descriptor. Opens on first use, and anew when the
// device behind the file went away and came back or the file was replaced.
class FileReader {
 public:
  explicit FileReader(std::string path, std::size_t limit = std::size_t{4} * 1024 * 1024)
      : path_(std::move(path)), limit_(limit) {}

  // The file from its start, as a view into `buffer`, which grows when needed and never shrinks,
  // so a steady caller allocates nothing. Readers may share a buffer.
  Result<std::string_view> read(std::string& buffer);

  // errno of the last read() when it failed, else 0: ENOENT is a file this kernel does not have.
  int error() const { return error_; }
  const std::string& path() const { return path_; }
  void close() { fd_.reset(); }

 private:
  // errno, or 0.
  int open();
  int read_once(std::string& buffer, std::size_t& size);
  bool replaced() const;

  std::string path_;
  std::size_t limit_;
  Fd fd_;
  int error_ = 0;
  bool kernel_file_ = false;  // of procfs or sysfs: never replaced by a rename
};

}  // namespace warpsight

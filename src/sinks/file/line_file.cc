#include "sinks/file/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace warpsight {
namespace {

constexpr mode_t kMode = 0640;
constexpr size_t kTailChunk = 4096;

Result<> make_directory_of(const std::string& path) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (directory.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error) return {};
  return fail_errno("cannot make the directory " + directory.string(), error.value());
}

// Where the last whole line of a file ends: what a crash left behind it is no line.
off_t end_of_lines(int fd, off_t size) {
  char chunk[kTailChunk];
  for (off_t end = size; end > 0;) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(sizeof chunk));
    const ssize_t n = ::pread(fd, chunk, static_cast<size_t>(end - begin), begin);
    if (n <= 0) return size;
    const std::string_view text(chunk, static_cast<size_t>(n));
    const size_t newline = text.rfind('\n');
    if (newline != std::string_view::npos) return begin + static_cast<off_t>(newline) + 1;
    end = begin;
  }
  return 0;
}

// When the file was made, where the file system knows.
Time birth_of(int fd, Time otherwise) {
  struct statx info{};
  const bool known =
      ::statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &info) == 0 && (info.stx_mask & STATX_BTIME) != 0;
  if (!known) return otherwise;
  return Time{std::chrono::seconds{info.stx_btime.tv_sec} +
              std::chrono::nanoseconds{info.stx_btime.tv_nsec}};
}

std::string numbered(const std::string& path, int64_t n) { return fmt::format("{}.{}", path, n); }

}  // namespace

LineFile::LineFile(LineFileConfig config, const Clock& clock)
    : config_(std::move(config)), clock_(clock), synced_(clock.now()) {}

bool LineFile::moved_away() const {
  struct stat info{};
  return ::stat(config_.path.c_str(), &info) != 0 || info.st_dev != device_ ||
         info.st_ino != inode_;
}

Result<> LineFile::open() {
  if (auto made = make_directory_of(config_.path); !made) return made;
  // Readable, to find where the last line ends. Non-blocking, lest a FIFO hold up the thread.
  Fd fd(::open(config_.path.c_str(),
               O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, kMode));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0) return fail_errno("cannot open " + config_.path, errno);
  regular_ = S_ISREG(info.st_mode);
  off_t size = regular_ ? info.st_size : 0;
  if (regular_) {
    const off_t end = end_of_lines(fd.get(), size);
    if (end < size && ::ftruncate(fd.get(), end) == 0) size = end;
  }
  device_ = info.st_dev;
  inode_ = info.st_ino;
  size_ = static_cast<uint64_t>(size);
  born_ = size == 0 ? clock_.now() : birth_of(fd.get(), clock_.now());
  fd_ = std::move(fd);
  return {};
}

Result<> LineFile::ensure_open() {
  if (fd_ && moved_away()) {
    if (unsynced_ && config_.sync != SyncPolicy::never) ::fdatasync(fd_.get());
    fd_.reset();
  }
  return fd_ ? Result<>{} : open();
}

bool LineFile::due(uint64_t more) const {
  if (!regular_ || size_ == 0) return false;
  if (config_.rotate_size > 0 && size_ + more > config_.rotate_size) return true;
  return config_.rotate_age > Duration::zero() && clock_.now() - born_ >= config_.rotate_age;
}

Result<> LineFile::rotate() {
  if (unsynced_ && config_.sync != SyncPolicy::never) ::fdatasync(fd_.get());
  if (config_.keep <= 0) {
    if (::unlink(config_.path.c_str()) != 0)
      return fail_errno("cannot remove " + config_.path, errno);
  } else {
    for (int64_t n = config_.keep - 1; n > 0; --n) {
      // Most of the time some number is not there yet.
      std::rename(numbered(config_.path, n).c_str(), numbered(config_.path, n + 1).c_str());
    }
    if (std::rename(config_.path.c_str(), numbered(config_.path, 1).c_str()) != 0) {
      return fail_errno("cannot rename " + config_.path, errno);
    }
  }
  fd_.reset();
  return open();
}

Result<> LineFile::write(std::string_view lines) {
  std::string_view rest = lines;
  while (!rest.empty()) {
    const ssize_t n = ::write(fd_.get(), rest.data(), rest.size());
    if (n > 0) {
      rest.remove_prefix(static_cast<size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    const int error = n < 0 ? errno : ENOSPC;
    if (regular_ && ::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0) {
      fd_.reset();  // opening cuts the file after its last whole line
    }
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
      return fail(fmt::format("cannot write {}: {}", config_.path, errno_text(error)),
                  "free space there, or lower rotate_size or keep of the file sink");
    }
    return fail_errno("cannot write " + config_.path, error);
  }
  size_ += lines.size();
  unsynced_ = true;
  return {};
}

Result<> LineFile::sync() {
  const Time now = clock_.now();
  const bool wanted =
      config_.sync == SyncPolicy::always ||
      (config_.sync == SyncPolicy::interval && now - synced_ >= config_.sync_interval);
  if (!wanted || !unsynced_) return {};
  if (regular_ && ::fdatasync(fd_.get()) != 0) {
    return fail_errno("cannot sync " + config_.path, errno);
  }
  synced_ = now;
  unsynced_ = false;
  return {};
}

Result<> LineFile::append(std::string_view lines) {
  if (lines.empty()) return {};
  if (auto opened = ensure_open(); !opened) return opened;
  if (due(lines.size())) {
    if (auto rotated = rotate(); !rotated) return rotated;
  }
  if (auto written = write(lines); !written) return written;
  return sync();
}

}  // namespace warpsight

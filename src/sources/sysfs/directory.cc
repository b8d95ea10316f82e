#include "sources/sysfs/directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "platform/fd.h"
#include "sources/sysfs/text.h"

namespace warpsight {

int Directory::rewind() {
  if (stream_) {
    rewinddir(stream_.get());
    return 0;
  }
  stream_.reset(opendir(path_.c_str()));
  return stream_ ? 0 : errno;
}

const char* Directory::next() {
  // One thread owns a Directory, and glibc's readdir is safe for distinct streams.
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  while (const dirent* entry = readdir(stream_.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry->d_name;
  }
  return nullptr;
}

bool Directory::was_replaced() const {
  const int fd = dirfd(stream_.get());
  struct stat now{};
  struct stat opened{};
  return fd < 0 || ::stat(path_.c_str(), &now) != 0 || ::fstat(fd, &opened) != 0 ||
         now.st_ino != opened.st_ino || now.st_dev != opened.st_dev;
}

std::optional<std::string_view> read_tiny_file(const char* path, std::span<char> buffer) {
  // Non-blocking, lest a FIFO in the place of an attribute stops the lane.
  const Fd fd(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return std::nullopt;
  ssize_t size = 0;
  do {
    size = ::read(fd.get(), buffer.data(), buffer.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) return std::nullopt;
  return trim({buffer.data(), static_cast<size_t>(size)});
}

std::optional<uint64_t> read_number_file(const char* path, int base) {
  std::array<char, 64> buffer;
  auto text = read_tiny_file(path, buffer);
  if (!text) return std::nullopt;
  if (base == 16 && text->starts_with("0x")) text->remove_prefix(2);
  return to_number<uint64_t>(*text, base);
}

std::string link_target_name(const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t size = readlink(path.c_str(), target.data(), target.size());
  if (size <= 0) return {};
  const std::string_view whole(target.data(), static_cast<size_t>(size));
  return std::string(whole.substr(whole.find_last_of('/') + 1));
}

}  // namespace warpsight

#include "platform/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

namespace warpsight {
namespace {

constexpr std::size_t kFirstBuffer = 4096;
constexpr auto kDiskPatience = std::chrono::seconds{30};

// Removes a temporary file unless it got its final name.
struct Temporary {
  std::string path;
  bool kept = false;
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  explicit Temporary(std::string name) : path(std::move(name)) {}
  ~Temporary() {
    if (!kept) ::unlink(path.c_str());
  }
};

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool device_went_away(int error) { return error == ENODEV || error == ESTALE || error == ENXIO; }

}  // namespace

SyncPolicy sync_policy(std::string_view name) {
  if (name == "always") return SyncPolicy::always;
  return name == "interval" ? SyncPolicy::interval : SyncPolicy::never;
}

std::string under_root(std::string_view root, std::string_view path) {
  while (root.ends_with('/')) root.remove_suffix(1);
  return fmt::format("{}{}{}", root, path.starts_with('/') ? "" : "/", path);
}

Result<Fd> open_for_reading(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return fail_errno("cannot open " + path, errno);
  return fd;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  auto fd = open_for_reading(path);
  if (!fd) return tl::unexpected(std::move(fd.error()));
  return read_all(fd->get(), limit).map_error([&](Error error) {
    return Error{fmt::format("{}: {}", path, error.message), error.hint};
  });
}

Result<> write_file_atomically(const std::string& path, std::string_view bytes, mode_t mode) {
  Temporary temporary(path + ".tmp-XXXXXX");
  const Fd fd(::mkostemp(temporary.path.data(), O_CLOEXEC));
  if (!fd) return fail_errno(fmt::format("cannot create a file beside {}", path), errno);
  if (auto written = write_all(fd.get(), bytes, kDiskPatience); !written) {
    return fail(fmt::format("{}: {}", path, written.error().message), written.error().hint);
  }
  if (::fchmod(fd.get(), mode) < 0 || ::fsync(fd.get()) < 0 ||
      ::rename(temporary.path.c_str(), path.c_str()) < 0) {
    return fail_errno("cannot write " + path, errno);
  }
  temporary.kept = true;
  const Fd directory(::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::fsync(directory.get()) < 0) {
    return fail_errno("cannot sync the directory of " + path, errno);
  }
  return {};
}

int FileReader::open() {
  fd_.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd_) return errno;
  struct statfs info{};
  kernel_file_ = ::fstatfs(fd_.get(), &info) == 0 &&
                 (info.f_type == PROC_SUPER_MAGIC || info.f_type == SYSFS_MAGIC);
  return 0;
}

bool FileReader::replaced() const {
  if (kernel_file_) return false;
  struct stat info{};
  return ::fstat(fd_.get(), &info) != 0 || info.st_nlink == 0;
}

int FileReader::read_once(std::string& buffer, std::size_t& size) {
  size = 0;
  if (buffer.empty()) buffer.resize(kFirstBuffer);
  for (;;) {
    const ssize_t n =
        ::pread(fd_.get(), buffer.data() + size, buffer.size() - size, static_cast<off_t>(size));
    if (n == 0) return 0;
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    size += static_cast<std::size_t>(n);
    if (size < buffer.size()) continue;
    if (size > limit_) return EFBIG;
    buffer.resize(std::min(buffer.size() * 2, std::max(limit_ + 1, buffer.size() + 1)));
  }
}

Result<std::string_view> FileReader::read(std::string& buffer) {
  std::size_t size = 0;
  bool fresh = false;
  error_ = 0;
  if (!fd_ || replaced()) {
    error_ = open();
    fresh = true;
  }
  if (error_ == 0) error_ = read_once(buffer, size);
  if (!fresh && device_went_away(error_)) {
    error_ = open();
    if (error_ == 0) error_ = read_once(buffer, size);
  }
  if (error_ == 0 && size > limit_) error_ = EFBIG;
  if (error_ == 0) return std::string_view(buffer.data(), size);
  if (device_went_away(error_)) fd_.reset();
  return fail_errno("cannot read " + path_, error_);
}

}  // namespace warpsight

#include "history/store_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace warpsight {
namespace {

constexpr mode_t kMode = 0600;
constexpr std::string_view kName = "history.db";
constexpr std::string_view kDamaged = "history.db.damaged-";
constexpr std::array<std::string_view, 3> kParts = {"", "-wal", "-shm"};

// Without opening one that is there: to close it again would take SQLite's locks from readers of
// this process.
bool make_if_missing(const std::string& path) {
  const Fd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (made || errno != EEXIST) return static_cast<bool>(made);
  struct stat there{};
  if (::lstat(path.c_str(), &there) != 0) return false;
  if (S_ISLNK(there.st_mode)) errno = ELOOP;
  return !S_ISLNK(there.st_mode) && ::access(path.c_str(), R_OK | W_OK) == 0;
}

// By their common beginning, newest first.
std::vector<std::string> damaged_names(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator it(directory, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(kDamaged) && !name.ends_with("-wal") && !name.ends_with("-shm")) {
      names.push_back(name);
    }
  }
  std::ranges::sort(names, std::ranges::greater{});
  return names;
}

}  // namespace

std::string database_path(const std::string& directory) {
  return fmt::format("{}/{}", directory, kName);
}

Result<Fd> claim(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return fail_errno("cannot make the directory " + directory, error.value());
  Fd lock(::open((directory + "/history.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                 kMode));
  if (!lock) return fail_errno("cannot write in " + directory, errno);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail(directory + " is used by another agent",
                "stop it, or give each a state_dir of its own");
  }
  if (!make_if_missing(database_path(directory))) {
    return fail_errno("cannot write " + database_path(directory), errno);
  }
  return lock;
}

Result<std::string> set_database_aside(const std::string& directory, Time now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  std::string name = fmt::format("{}{:012}", kDamaged, seconds);
  // Two within a second.
  while (std::filesystem::exists(std::filesystem::path(directory) / name)) name += "+";
  for (const std::string_view part : kParts) {
    const std::string from = fmt::format("{}/{}{}", directory, kName, part);
    const std::string to = fmt::format("{}/{}{}", directory, name, part);
    if (std::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT) {
      return fail_errno("cannot rename " + from, errno);
    }
  }
  const std::vector<std::string> all = damaged_names(directory);
  for (size_t i = kKeptDamaged; i < all.size(); ++i) {
    for (const std::string_view part : kParts) {
      std::error_code ignored;
      std::filesystem::remove(fmt::format("{}/{}{}", directory, all[i], part), ignored);
    }
  }
  if (!make_if_missing(database_path(directory))) {
    return fail_errno("cannot write " + database_path(directory), errno);
  }
  return fmt::format("{}/{}", directory, name);
}

uint64_t bytes_on_disk(const std::string& directory) {
  uint64_t bytes = 0;
  for (const std::string_view part : kParts) {
    std::error_code error;
    const auto size =
        std::filesystem::file_size(fmt::format("{}/{}{}", directory, kName, part), error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace warpsight

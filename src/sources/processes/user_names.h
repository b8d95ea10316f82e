// Names of users, from the passwd file under a root. The system's own lookup is not asked: it may
// wait for a directory service.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace warpsight::processes {

// For one thread.
class UserNames {
 public:
  static constexpr size_t kMaxFile = size_t{4} << 20;
  static constexpr size_t kMaxUsers = 65'536;

  explicit UserNames(std::string_view root);

  // Reads the file again when it is not the one of the last time.
  void refresh();

  // The number itself when the file knows none.
  std::string name(uint32_t uid) const;

  uint64_t files_read() const { return files_read_; }

 private:
  using Mark = std::tuple<dev_t, ino_t, off_t, int64_t, int64_t>;

  std::optional<Mark> mark() const;
  void take(std::string_view line);

  std::string path_;
  std::optional<Mark> seen_;
  std::map<uint32_t, std::string> names_;
  uint64_t files_read_ = 0;
};

}  // namespace warpsight::processes

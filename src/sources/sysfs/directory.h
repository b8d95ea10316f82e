// Lists one directory again and again, and reads tiny files, without allocating once warm.
#pragma once

#include <dirent.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpsight {

class Directory {
 public:
  explicit Directory(std::string path) : path_(std::move(path)) {}

  // Calls fn(name) for every entry but "." and "..". Returns errno when the directory cannot be
  // opened, else 0. A directory that went away and came back is found again.
  template <typename Fn>
  int for_each(Fn&& fn) {
    if (const int error = rewind(); error != 0) return error;
    bool any = false;
    while (const char* name = next()) {
      any = true;
      fn(std::string_view(name));
    }
    // A removed directory stays open and lists nothing for ever.
    if (!any && was_replaced()) stream_.reset();
    return 0;
  }

  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(DIR* stream) const { closedir(stream); }
  };

  int rewind();
  const char* next();
  bool was_replaced() const;

  std::string path_;
  std::unique_ptr<DIR, Closer> stream_;
};

// What the file holds, trimmed, as a view into `buffer`; nothing when it cannot be read. More
// than the buffer takes is cut off.
std::optional<std::string_view> read_tiny_file(const char* path, std::span<char> buffer);

// The one number a sysfs attribute holds. `base` 16 takes the usual 0x in front.
std::optional<uint64_t> read_number_file(const char* path, int base = 10);

// Last component of what a symbolic link points to; empty when it is none.
std::string link_target_name(const std::string& path);

}  // namespace warpsight

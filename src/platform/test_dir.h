// A folder for one test, gone afterwards. Only tests include this.
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace warpsight {

class TestDir {
 public:
  TestDir() {
    std::string name = (std::filesystem::temp_directory_path() / "warpsight-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TestDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestDir(const TestDir&) = delete;
  TestDir& operator=(const TestDir&) = delete;

  const std::string& path() const { return path_; }

  // Writes a file, making the folders above it, and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const {
    const auto file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }

 private:
  std::string path_;
};

}  // namespace warpsight

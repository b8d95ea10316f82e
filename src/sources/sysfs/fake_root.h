// For tests: a file-system root of their own, and questions to ask a batch.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "core/batch.h"
#include "core/entity.h"

namespace warpsight::testing {

class FakeRoot {
 public:
  FakeRoot() {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpsight-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~FakeRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  std::string path() const { return path_.string(); }
  std::filesystem::path at(std::string_view file) const { return path_ / file.substr(1); }

  void write(std::string_view file, std::string_view bytes) const {
    std::filesystem::create_directories(at(file).parent_path());
    std::ofstream(at(file), std::ios::binary | std::ios::trunc) << bytes;
  }
  void append(std::string_view file, std::string_view bytes) const {
    std::ofstream(at(file), std::ios::binary | std::ios::app) << bytes;
  }
  void link(std::string_view file, const std::string& target) const {
    std::filesystem::create_directories(at(file).parent_path());
    std::filesystem::remove(at(file));
    std::filesystem::create_symlink(target, at(file));
  }
  void make_directory(std::string_view file) const {
    std::filesystem::create_directories(at(file));
  }
  void remove(std::string_view file) const { std::filesystem::remove_all(at(file)); }

 private:
  std::filesystem::path path_;
};

// "key=value,key=value" of everything that leaves the agent, parents' first.
inline std::string attributes_of(const EntityTable& entities, EntityId id) {
  std::string text;
  entities.for_each_attribute(id, [&](std::string_view key, std::string_view value) {
    if (!text.empty()) text += ',';
    text.append(key).append("=").append(value);
  });
  return text;
}

// Value of the last such point of the batch.
inline std::optional<double> value_of(const Batch& batch, const EntityTable& entities,
                                      Metric metric, std::string_view attributes = {}) {
  std::optional<double> found;
  for (const Point& point : batch.points) {
    if (point.metric == metric && attributes_of(entities, point.entity) == attributes) {
      found = point.value;
    }
  }
  return found;
}

inline long count_of(const Batch& batch, Metric metric) {
  return std::ranges::count(batch.points, metric, &Point::metric);
}

}  // namespace warpsight::testing

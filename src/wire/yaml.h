// A YAML document as a plain tree with places, for untrusted text: size, depth and number of
// nodes are bounded, aliases included, and yaml-cpp's exceptions stay inside.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace warpsight {

// Counted from 1, as editors do; 0 means the file as a whole.
struct YamlPlace {
  int line = 0;
  int column = 0;
};

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  YamlPlace place = {};
  std::string scalar = {};
  std::vector<YamlNode> items = {};  // of a sequence, or the values of a map
  std::vector<YamlNode> keys = {};   // of a map, one for each of items
};

struct YamlError {
  YamlPlace place;
  std::string message;
};

inline constexpr std::size_t kMaxYamlBytes = std::size_t{1024} * 1024;
inline constexpr std::size_t kMaxYamlNodes = 20'000;
inline constexpr std::size_t kMaxYamlDepth = 16;

// The one document in `text`; an empty text is a null node. Keys that are not scalars are errors,
// keys that repeat are left to the caller.
tl::expected<YamlNode, YamlError> parse_yaml(std::string_view text,
                                             std::size_t max_nodes = kMaxYamlNodes);

}  // namespace warpsight

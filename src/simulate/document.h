// A YAML text as a plain tree with line numbers, under hard bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace warpsight::simulate {

struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };

  Kind kind = Kind::null;
  std::uint32_t line = 0;  // from 1
  std::string text;        // of a scalar
  // Indices into Document::nodes: the elements of a sequence; keys and values of a map in turn.
  std::vector<std::uint32_t> children;
};

// nodes[0] is the root of a document that is not empty. A node that the text refers to by an
// alias appears once and has several parents; there are no cycles.
struct Document {
  std::vector<YamlNode> nodes;

  const YamlNode& root() const { return nodes.front(); }
  const YamlNode& child(const YamlNode& parent, std::size_t index) const {
    return nodes[parent.children[index]];
  }
};

// Errors read "origin:line: what". At least one node where it succeeds.
Result<Document> parse_yaml(std::string_view text, std::string_view origin);

}  // namespace warpsight::simulate

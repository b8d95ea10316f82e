// Typed access to a scenario's YAML. The first error is kept with its line; after it every read
// leaves its output as it was, so parsing code needs no checks between reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "simulate/document.h"

namespace warpsight::simulate {

class Reader {
 public:
  Reader(const Document& document, std::string_view origin)
      : document_(document), origin_(origin) {}

  const Document& document() const { return document_; }
  const YamlNode& child(const YamlNode& node, std::size_t i) const {
    return document_.child(node, i);
  }
  bool failed() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }
  void fail(const YamlNode& node, std::string_view message, std::string hint = {});

  // Each fails when the node is not of that kind or outside the bounds.
  void number(const YamlNode& node, double& out, double lowest, double highest);
  void seconds(const YamlNode& node, double& out, double lowest, double highest);
  void bytes(const YamlNode& node, std::uint64_t& out, std::uint64_t highest);
  void boolean(const YamlNode& node, bool& out);
  void text(const YamlNode& node, std::string& out, std::size_t longest);
  // False, with an error, for anything else.
  bool sequence(const YamlNode& node, std::size_t most);
  template <typename T>
  void integer(const YamlNode& node, T& out, std::uint64_t highest);
  template <typename T, std::size_t N>
  void choice(const YamlNode& node, T& out,
              const std::array<std::pair<std::string_view, T>, N>& choices);

  // A word that is not among the valid ones.
  void unknown(const YamlNode& node, std::string_view what, std::string_view given,
               std::span<const std::string_view> valid);

 private:
  bool scalar(const YamlNode& node, std::string_view wanted);
  std::optional<std::uint64_t> unsigned_value(const YamlNode& node, std::uint64_t highest);

  const Document& document_;
  std::string_view origin_;
  std::optional<Error> error_;
};

// A map whose keys are known: constructing it reports unknown and repeated ones.
class MapView {
 public:
  MapView(Reader& reader, const YamlNode& node, std::span<const std::string_view> keys);

  // The value of a key, or null where it is absent or the map is not valid.
  const YamlNode* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const YamlNode& node() const { return node_; }

  void number(std::string_view key, double& out, double lowest, double highest) const;
  void seconds(std::string_view key, double& out, double lowest, double highest) const;
  void bytes(std::string_view key, std::uint64_t& out, std::uint64_t highest) const;
  void boolean(std::string_view key, bool& out) const;
  void text(std::string_view key, std::string& out, std::size_t longest) const;
  template <typename T>
  void integer(std::string_view key, T& out, std::uint64_t highest) const {
    if (const YamlNode* value = find(key)) reader_.integer(*value, out, highest);
  }
  template <typename T, std::size_t N>
  void choice(std::string_view key, T& out,
              const std::array<std::pair<std::string_view, T>, N>& choices) const {
    if (const YamlNode* value = find(key)) reader_.choice(*value, out, choices);
  }

 private:
  Reader& reader_;
  const YamlNode& node_;
};

template <typename T>
void Reader::integer(const YamlNode& node, T& out, std::uint64_t highest) {
  const auto limit = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  if (const auto value = unsigned_value(node, std::min(highest, limit))) {
    out = static_cast<T>(*value);
  }
}

template <typename T, std::size_t N>
void Reader::choice(const YamlNode& node, T& out,
                    const std::array<std::pair<std::string_view, T>, N>& choices) {
  if (!scalar(node, "a word")) return;
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) {
    names[i] = choices[i].first;
    if (node.text == names[i]) {
      out = choices[i].second;
      return;
    }
  }
  unknown(node, "value", node.text, names);
}

}  // namespace warpsight::simulate

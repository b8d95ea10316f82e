// Typed access to the YAML of an engine table. The first mistake is kept with its line; after it
// every read leaves its output as it was, so reading code needs no checks between reads.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "wire/yaml.h"

namespace warpsight::engines {

inline constexpr size_t kMaxTableRows = 2'000;  // of each list of a table
inline constexpr size_t kMaxTableText = 200;    // characters of one value
inline constexpr size_t kMaxTableNodes = 100'000;

using TextPairs = std::vector<std::pair<std::string, std::string>>;

class TableMistakes {
 public:
  explicit TableMistakes(std::string_view file) : file_(file) {}

  bool any() const { return any_; }
  const Error& first() const { return first_; }

  void add(YamlPlace place, std::string message, std::string hint = {});
  // A word that is not among the valid ones.
  void unknown(const YamlNode& node, std::string_view what,
               std::span<const std::string_view> valid);

 private:
  std::string file_;
  Error first_;
  bool any_ = false;
};

// Text from a file, fit for an error: cut, and without what could forge a line.
std::string shown(std::string_view text);

// "a, b or c"; empty above a dozen.
std::string one_of(std::span<const std::string_view> words);

// A map whose keys are known: constructing it reports unknown and repeated ones. The node outlives
// it.
class TableMap {
 public:
  TableMap(TableMistakes& mistakes, const YamlNode& node, std::span<const std::string_view> keys);

  YamlPlace place() const { return node_.place; }
  // The value of a key, or null where it is absent.
  const YamlNode* find(std::string_view key) const;

  // Each leaves `out` alone where the key is absent.
  void text(std::string_view key, std::string& out) const;
  void texts(std::string_view key, std::vector<std::string>& out) const;  // one, or a list
  void pairs(std::string_view key, TextPairs& out) const;                 // a map
  void flag(std::string_view key, bool& out) const;
  void number(std::string_view key, double& out) const;
  void numbers(std::string_view key, std::vector<double>& out) const;
  void ports(std::string_view key, std::vector<uint16_t>& out) const;
  template <typename T, size_t N>
  void choice(std::string_view key, T& out,
              const std::array<std::pair<std::string_view, T>, N>& choices) const;

  // Calls fn(item) for each item of a list.
  template <typename Fn>
  void each(std::string_view key, Fn&& fn) const {
    for (const YamlNode& item : list(key)) {
      if (mistakes_.any()) return;
      fn(item);
    }
  }

 private:
  bool scalar(const YamlNode& node, std::string_view key) const;
  // Empty, with a mistake, when it is something else.
  std::span<const YamlNode> list(std::string_view key) const;
  void wrong(const YamlNode& node, std::string_view key, std::string_view wanted) const;

  TableMistakes& mistakes_;
  const YamlNode& node_;
};

template <typename T, size_t N>
void TableMap::choice(std::string_view key, T& out,
                      const std::array<std::pair<std::string_view, T>, N>& choices) const {
  const YamlNode* node = find(key);
  if (node == nullptr || !scalar(*node, key)) return;
  std::array<std::string_view, N> names;
  for (size_t i = 0; i < N; ++i) {
    names[i] = choices[i].first;
    if (node->scalar != names[i]) continue;
    out = choices[i].second;
    return;
  }
  mistakes_.unknown(*node, key, names);
}

}  // namespace warpsight::engines

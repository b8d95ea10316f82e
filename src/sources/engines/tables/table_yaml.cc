#include "sources/engines/tables/table_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "core/nearest.h"

namespace warpsight::engines {
namespace {

using Kind = YamlNode::Kind;

template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void repeated(TableMistakes& mistakes, const YamlNode& key) {
  mistakes.add(key.place, fmt::format("\"{}\" stands here twice", shown(key.scalar)), "remove one");
}

}  // namespace

std::string shown(std::string_view text) {
  std::string out(text.substr(0, 60));
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return out.size() < text.size() ? out + "..." : out;
}

std::string one_of(std::span<const std::string_view> words) {
  if (words.empty() || words.size() > 12) return {};
  if (words.size() == 1) return std::string(words.front());
  return fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

void TableMistakes::add(YamlPlace place, std::string message, std::string hint) {
  if (any_) return;
  const std::string where =
      place.line > 0 ? fmt::format("{}:{}", file_, place.line) : std::string(file_);
  first_ = {fmt::format("{}: {}", where, message), std::move(hint)};
  any_ = true;
}

void TableMistakes::unknown(const YamlNode& node, std::string_view what,
                            std::span<const std::string_view> valid) {
  const std::string_view near = nearest(node.scalar, valid);
  const std::string list = one_of(valid);
  std::string hint = "see the built-in tables";
  if (!list.empty()) hint = fmt::format("use {}", list);
  if (!near.empty()) hint = fmt::format("did you mean \"{}\"?", near);
  add(node.place, fmt::format("unknown {} \"{}\"", what, shown(node.scalar)), std::move(hint));
}

TableMap::TableMap(TableMistakes& mistakes, const YamlNode& node,
                   std::span<const std::string_view> keys)
    : mistakes_(mistakes), node_(node) {
  if (node.kind != Kind::map) {
    mistakes.add(node.place, "expected a map", fmt::format("write {{ {}: ... }}", keys.front()));
    return;
  }
  for (size_t i = 0; i < node.keys.size(); ++i) {
    const YamlNode& key = node.keys[i];
    if (std::ranges::find(keys, key.scalar) == keys.end()) mistakes.unknown(key, "key", keys);
    const auto before = std::span(node.keys).first(i);
    if (std::ranges::find(before, key.scalar, &YamlNode::scalar) != before.end()) {
      repeated(mistakes, key);
    }
    if (mistakes.any()) return;
  }
}

const YamlNode* TableMap::find(std::string_view key) const {
  if (mistakes_.any()) return nullptr;
  const auto found = std::ranges::find(node_.keys, key, &YamlNode::scalar);
  if (found == node_.keys.end()) return nullptr;
  return &node_.items[static_cast<size_t>(found - node_.keys.begin())];
}

void TableMap::wrong(const YamlNode& node, std::string_view key, std::string_view wanted) const {
  mistakes_.add(node.place, fmt::format("\"{}\" is not {}", key, wanted),
                fmt::format("give {}", wanted));
}

bool TableMap::scalar(const YamlNode& node, std::string_view key) const {
  if (node.kind != Kind::scalar) {
    wrong(node, key, "a single value");
    return false;
  }
  if (node.scalar.size() > kMaxTableText) {
    mistakes_.add(node.place,
                  fmt::format("\"{}\" is longer than {} characters", key, kMaxTableText),
                  "shorten it");
    return false;
  }
  return true;
}

std::span<const YamlNode> TableMap::list(std::string_view key) const {
  const YamlNode* node = find(key);
  if (node == nullptr) return {};
  if (node->kind != Kind::sequence) {
    wrong(*node, key, "a list");
    return {};
  }
  if (node->items.size() > kMaxTableRows) {
    mistakes_.add(node->place, fmt::format("\"{}\" has more than {} rows", key, kMaxTableRows),
                  "split the table");
    return {};
  }
  return node->items;
}

void TableMap::text(std::string_view key, std::string& out) const {
  const YamlNode* node = find(key);
  if (node != nullptr && scalar(*node, key)) out = node->scalar;
}

void TableMap::texts(std::string_view key, std::vector<std::string>& out) const {
  const YamlNode* node = find(key);
  if (node == nullptr) return;
  const bool one = node->kind == Kind::scalar;
  for (const YamlNode& item : one ? std::span(node, 1) : list(key)) {
    if (scalar(item, key)) out.push_back(item.scalar);
  }
}

void TableMap::pairs(std::string_view key, TextPairs& out) const {
  const YamlNode* node = find(key);
  if (node == nullptr) return;
  if (node->kind != Kind::map) return wrong(*node, key, "a map");
  if (node->items.size() > kMaxTableRows) return wrong(*node, key, "a map of 2,000 rows or less");
  std::set<std::string_view> seen;
  for (size_t i = 0; i < node->keys.size(); ++i) {
    const YamlNode& name = node->keys[i];
    if (!scalar(name, key) || !scalar(node->items[i], key)) return;
    if (!seen.insert(name.scalar).second) return repeated(mistakes_, name);
    out.emplace_back(name.scalar, node->items[i].scalar);
  }
}

void TableMap::flag(std::string_view key, bool& out) const {
  const YamlNode* node = find(key);
  if (node == nullptr || !scalar(*node, key)) return;
  if (node->scalar != "true" && node->scalar != "false") return wrong(*node, key, "true or false");
  out = node->scalar == "true";
}

void TableMap::number(std::string_view key, double& out) const {
  const YamlNode* node = find(key);
  if (node == nullptr || !scalar(*node, key)) return;
  const auto value = parse_number<double>(node->scalar);
  if (!value || !std::isfinite(*value)) return wrong(*node, key, "a number");
  out = *value;
}

void TableMap::numbers(std::string_view key, std::vector<double>& out) const {
  each(key, [&](const YamlNode& item) {
    if (!scalar(item, key)) return;
    const auto value = parse_number<double>(item.scalar);
    if (!value || !std::isfinite(*value)) return wrong(item, key, "a list of numbers");
    out.push_back(*value);
  });
}

void TableMap::ports(std::string_view key, std::vector<uint16_t>& out) const {
  each(key, [&](const YamlNode& item) {
    if (!scalar(item, key)) return;
    const auto port = parse_number<uint16_t>(item.scalar);
    if (!port || *port == 0) return wrong(item, key, "a list of ports, 1 to 65535");
    out.push_back(*port);
  });
}

}  // namespace warpsight::engines

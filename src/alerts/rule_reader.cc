#include "alerts/rule_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/nearest.h"
#include "core/quantity.h"

namespace warpsight::alerts {
namespace {

using Kind = YamlNode::Kind;

constexpr size_t kShown = 80;
constexpr size_t kMaxListed = 64;

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string shown(std::string_view text) {
  std::string out(text.substr(0, kShown));
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text.size() > kShown ? out + "..." : out;
}

void RuleMistakes::add(YamlPlace place, std::string message, std::string hint) {
  if (errors_.size() >= kMaxRuleErrors) return;
  errors_.push_back({file_, place.line, place.column, std::move(message), std::move(hint)});
}

void RuleMistakes::unknown(const YamlNode& node, std::string_view what,
                           std::span<const std::string_view> valid) {
  const std::string_view near = nearest(node.scalar, valid);
  add(node.place, fmt::format("unknown {} \"{}\"", what, shown(node.scalar)),
      near.empty() ? fmt::format("use one of {}", fmt::join(valid, ", "))
                   : fmt::format("did you mean \"{}\"?", near));
}

RuleMap::RuleMap(RuleMistakes& mistakes, const YamlNode& node,
                 std::span<const std::string_view> keys)
    : mistakes_(mistakes), node_(node) {
  if (node.kind != Kind::map) {
    mistakes.add(node.place, "expected a map", fmt::format("write {}: ...", keys.front()));
    return;
  }
  for (size_t i = 0; i < node.keys.size(); ++i) {
    const YamlNode& key = node.keys[i];
    if (std::ranges::find(keys, key.scalar) == keys.end()) mistakes.unknown(key, "key", keys);
    const auto before = std::span(node.keys).first(i);
    if (std::ranges::find(before, key.scalar, &YamlNode::scalar) != before.end()) {
      mistakes.add(key.place, fmt::format("\"{}\" stands here twice", shown(key.scalar)),
                   "keep one of them");
    }
  }
}

const YamlNode* RuleMap::find(std::string_view key) const {
  const auto found = std::ranges::find(node_.keys, key, &YamlNode::scalar);
  if (found == node_.keys.end()) return nullptr;
  return &node_.items[static_cast<size_t>(found - node_.keys.begin())];
}

void RuleMap::wrong(const YamlNode& node, std::string_view key, std::string_view wanted) const {
  const bool told = node.kind == Kind::scalar && !node.scalar.empty();
  mistakes_.add(node.place,
                told ? fmt::format("\"{}\" is \"{}\", not {}", key, shown(node.scalar), wanted)
                     : fmt::format("\"{}\" is not {}", key, wanted),
                fmt::format("give {}", wanted));
}

bool RuleMap::scalar(const YamlNode& node, std::string_view key) const {
  if (node.kind != Kind::scalar) {
    wrong(node, key, "a single value");
    return false;
  }
  if (node.scalar.size() > kMaxRuleText) {
    mistakes_.add(node.place, fmt::format("\"{}\" is longer than {} bytes", key, kMaxRuleText),
                  "shorten it");
    return false;
  }
  return true;
}

std::optional<std::string> RuleMap::text(std::string_view key) const {
  const YamlNode* node = find(key);
  if (node == nullptr || !scalar(*node, key)) return std::nullopt;
  return node->scalar;
}

std::optional<bool> RuleMap::flag(std::string_view key) const {
  const auto said = text(key);
  if (!said) return std::nullopt;
  if (*said != "true" && *said != "false") {
    wrong(*find(key), key, "true or false");
    return std::nullopt;
  }
  return *said == "true";
}

std::optional<double> RuleMap::number(std::string_view key) const {
  const auto said = text(key);
  if (!said) return std::nullopt;
  const auto value = parse_number(*said);
  if (!value) wrong(*find(key), key, "a number");
  return value;
}

std::optional<Duration> RuleMap::duration(std::string_view key, Duration longest) const {
  const auto said = text(key);
  if (!said) return std::nullopt;
  const auto value = parse_duration(*said);
  const bool whole = value && *value % std::chrono::milliseconds{1} == Duration::zero();
  if (!whole || *value > longest) {
    wrong(*find(key), key,
          fmt::format("a time such as 30s or 5m, {} at most", format_duration(longest)));
    return std::nullopt;
  }
  return value;
}

void RuleMap::texts_of(const YamlNode& node, std::string_view key,
                       std::vector<std::string>& out) const {
  const bool one = node.kind == Kind::scalar;
  if (!one && (node.kind != Kind::sequence || node.items.size() > kMaxListed)) {
    return wrong(node, key, fmt::format("a value or a list of {} at most", kMaxListed));
  }
  for (const YamlNode& item : one ? std::span(&node, 1) : std::span(node.items)) {
    if (scalar(item, key)) out.push_back(item.scalar);
  }
}

std::vector<std::string> RuleMap::texts(std::string_view key) const {
  std::vector<std::string> out;
  if (const YamlNode* node = find(key)) texts_of(*node, key, out);
  return out;
}

std::vector<Attribute> RuleMap::pairs(std::string_view key) const {
  std::vector<Attribute> out;
  const YamlNode* node = find(key);
  if (node == nullptr) return out;
  if (node->kind != Kind::map || node->items.size() > kMaxListed) {
    wrong(*node, key, fmt::format("a map of {} pairs at most", kMaxListed));
    return out;
  }
  for (size_t i = 0; i < node->keys.size(); ++i) {
    const YamlNode& name = node->keys[i];
    if (!scalar(name, key) || !scalar(node->items[i], key)) continue;
    if (name.scalar.empty() || std::ranges::find(out, name.scalar, &Attribute::key) != out.end()) {
      wrong(name, key, "a name that stands here once");
      continue;
    }
    out.push_back({name.scalar, node->items[i].scalar});
  }
  return out;
}

std::optional<std::vector<Matcher>> RuleMap::matchers(std::string_view key) const {
  const YamlNode* node = find(key);
  if (node == nullptr) return std::nullopt;
  std::vector<Matcher> out;
  if (node->kind == Kind::map) {
    for (size_t i = 0; i < node->keys.size() && i < kMaxListed; ++i) {
      Matcher matcher{node->keys[i].scalar, {}, false};
      texts_of(node->items[i], matcher.key, matcher.values);
      if (matcher.key.empty() || matcher.values.empty()) wrong(node->keys[i], key, "KEY: VALUE");
      out.push_back(std::move(matcher));
    }
    return out;
  }
  for (const std::string& said : texts(key)) {
    if (auto matcher = parse_matcher(said)) {
      out.push_back(std::move(*matcher));
    } else {
      mistakes_.add(node->place, matcher.error().message, matcher.error().hint);
    }
  }
  return out;
}

}  // namespace warpsight::alerts

// Reads the maps of a rule file; what is wrong is noted with its place and what to do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alerts/rule.h"
#include "wire/yaml.h"

namespace warpsight::alerts {

inline constexpr size_t kMaxRuleText = 4096;
inline constexpr size_t kMaxRuleErrors = 100;

// Of one file.
class RuleMistakes {
 public:
  explicit RuleMistakes(std::string file) : file_(std::move(file)) {}

  void add(YamlPlace place, std::string message, std::string hint);
  // "unknown WHAT", with the nearest valid word or all of them.
  void unknown(const YamlNode& node, std::string_view what,
               std::span<const std::string_view> valid);

  const std::string& file() const { return file_; }
  size_t count() const { return errors_.size(); }
  std::vector<RuleError> take() { return std::move(errors_); }

 private:
  std::string file_;
  std::vector<RuleError> errors_;
};

// Foreign text in a message: short, on one line.
std::string shown(std::string_view text);

// A map whose keys are all among `keys`; others, and those that repeat, are mistakes. Getters
// answer nullopt, or nothing, for what is not there or was wrong.
class RuleMap {
 public:
  RuleMap(RuleMistakes& mistakes, const YamlNode& node, std::span<const std::string_view> keys);

  const YamlNode& node() const { return node_; }
  const YamlNode* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  std::optional<std::string> text(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<Duration> duration(std::string_view key, Duration longest) const;
  // One, or a list.
  std::vector<std::string> texts(std::string_view key) const;
  std::vector<Attribute> pairs(std::string_view key) const;
  // {KEY: VALUE}, {KEY: [ONE, OTHER]}, "KEY!=VALUE" or a list of those.
  std::optional<std::vector<Matcher>> matchers(std::string_view key) const;

  void wrong(const YamlNode& node, std::string_view key, std::string_view wanted) const;

 private:
  bool scalar(const YamlNode& node, std::string_view key) const;
  void texts_of(const YamlNode& node, std::string_view key, std::vector<std::string>& out) const;

  RuleMistakes& mistakes_;
  const YamlNode& node_;
};

}  // namespace warpsight::alerts

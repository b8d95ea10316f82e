#include "alerts/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "alerts/builtin.h"
#include "core/nearest.h"
#include "platform/file.h"
#include "wire/yaml.h"

namespace warpsight::alerts {
namespace {

// "FILE:LINE" of a rule's origin.
RuleError error_at(const Rule& rule, std::string message, std::string hint) {
  const std::string_view origin = rule.origin;
  const size_t colon = origin.rfind(':');
  RuleError error{std::string(origin.substr(0, colon)), 0, 0, std::move(message), std::move(hint)};
  if (colon != std::string_view::npos) {
    std::from_chars(origin.data() + colon + 1, origin.data() + origin.size(), error.line);
  }
  return error;
}

void put_over(std::vector<Rule>& rules, Rule&& rule, std::vector<RuleError>& errors) {
  const auto known = std::ranges::find(rules, rule.name, &Rule::name);
  if (!rule.conditions.empty()) {
    if (known != rules.end()) {
      *known = std::move(rule);
    } else if (rules.size() < kMaxRules) {
      rules.push_back(std::move(rule));
    } else {
      errors.push_back(
          error_at(rule, fmt::format("more than {} rules in all", kMaxRules), "remove some"));
    }
    return;
  }
  if (known != rules.end()) {
    known->enabled = false;
    return;
  }
  std::vector<std::string_view> names;
  names.reserve(rules.size());
  for (const Rule& other : rules) names.push_back(other.name);
  const std::string_view near = nearest(rule.name, names);
  errors.push_back(error_at(
      rule, fmt::format("there is no rule \"{}\" to switch off", rule.name),
      near.empty() ? "`warpsight rules` lists them" : fmt::format("did you mean \"{}\"?", near)));
}

}  // namespace

std::string to_string(const RuleError& error) {
  std::string out = error.file;
  if (error.line > 0) out += fmt::format(":{}", error.line);
  if (error.line > 0 && error.column > 0) out += fmt::format(":{}", error.column);
  out += ": " + error.message;
  if (!error.hint.empty()) out += "; " + error.hint;
  return out;
}

const std::vector<Rule>& builtin_rules() {
  static const std::vector<Rule> rules = parse_rules(builtin_rules_text(), "built-in").rules;
  return rules;
}

LoadedRules load_rules(const std::vector<std::string>& files) {
  LoadedRules all{builtin_rules(), {}};
  for (const std::string& file : files) {
    const auto text = read_file(file, kMaxYamlBytes);
    if (!text) {
      all.errors.push_back(
          {file, 0, 0, text.error().message,
           text.error().hint.empty() ? "correct the path under alerts.rules" : text.error().hint});
      continue;
    }
    LoadedRules loaded = parse_rules(*text, file);
    std::ranges::move(loaded.errors, std::back_inserter(all.errors));
    for (Rule& rule : loaded.rules) put_over(all.rules, std::move(rule), all.errors);
  }
  return all;
}

std::string_view to_string(Take take) {
  switch (take) {
    case Take::last: return "last";
    case Take::mean: return "mean";
    case Take::min: return "min";
    case Take::max: return "max";
    case Take::rise: return "rise";
  }
  return "";
}

std::string_view to_string(Comparison comparison) {
  switch (comparison) {
    case Comparison::above: return "above";
    case Comparison::below: return "below";
    case Comparison::equal: return "equal";
  }
  return "";
}

}  // namespace warpsight::alerts

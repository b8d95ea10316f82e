// What an alert rule says. Rules are written in YAML (docs/alerts.md); the agent evaluates them and
// `warpsight rules --prometheus` says the same in PromQL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch.h"
#include "core/clock.h"
#include "core/entity.h"
#include "core/matcher.h"
#include "core/result.h"

namespace warpsight::alerts {

// What is taken of the samples of a window. Every one of them is an aggregation over samples that
// were published: nothing is extrapolated, so that PromQL's *_over_time says the same.
enum class Take : uint8_t {
  last,  // the value now; no window
  mean,
  min,
  max,
  rise,  // the value now − min: what was gained since the lowest; a counter's reset is no rise
};

// One series' number: the metric's value, or what its window says.
struct Term {
  std::string metric;  // by its name in the catalogue, or one that an engine's page brings
  std::vector<Matcher> matchers = {};
  Take take = Take::last;
  Duration over{};    // of the window; zero for `last`
  Duration before{};  // as of that long ago

  friend bool operator==(const Term&, const Term&) = default;
};

enum class Comparison : uint8_t { above, below, equal };

// `term` compared with a number, or with `factor` × another term of the same attributes.
struct Condition {
  Term term;
  Comparison comparison = Comparison::above;
  double threshold = 0;  // without `other`
  std::optional<Term> other = {};
  double factor = 1;

  friend bool operator==(const Condition&, const Condition&) = default;
};

struct Rule {
  std::string name;  // "GpuMemoryFull"
  Severity severity = Severity::warning;
  // All must hold for things whose attributes in `on` are equal. The first says which alerts there
  // are: one for each of its series.
  std::vector<Condition> conditions;
  std::vector<std::string> on = {};  // empty: all attributes must be equal
  // Alerts are one for each value of these attributes, of the highest (for `below`, the lowest)
  // series; empty: one for each series.
  std::vector<std::string> by = {};
  Duration hold{};         // `for`: must hold so long before it fires
  Duration keep_firing{};  // fires on for so long after it held last: no flapping
  std::vector<Attribute> labels = {};
  // "{{ gpu.index }}" stands for an attribute, "{{ value }}" for the first term's value as a person
  // reads it.
  std::string summary;
  std::string description = {};
  std::vector<Attribute> annotations = {};  // further ones: a runbook's address
  bool enabled = true;
  std::string origin = {};  // "built-in", or the file and line

  friend bool operator==(const Rule&, const Rule&) = default;
};

struct RuleError {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;
  std::string hint = {};
};
std::string to_string(const RuleError& error);

struct LoadedRules {
  std::vector<Rule> rules;
  std::vector<RuleError> errors;
};

inline constexpr size_t kMaxRules = 500;

// Everything found in one pass; `file` names the text in errors.
LoadedRules parse_rules(std::string_view text, const std::string& file);

// The shipped ones.
const std::vector<Rule>& builtin_rules();

// The shipped ones with those of `files` put over them: a rule of the same name replaces it, one
// that says only `enabled: false` switches it off.
LoadedRules load_rules(const std::vector<std::string>& files);

std::string_view to_string(Take take);
std::string_view to_string(Comparison comparison);

}  // namespace warpsight::alerts

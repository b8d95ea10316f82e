#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "alerts/rule.h"
#include "alerts/rule_reader.h"
#include "alerts/text_template.h"
#include "core/catalogue.h"
#include "core/nearest.h"

namespace warpsight::alerts {
namespace {

using Kind = YamlNode::Kind;
using namespace std::chrono_literals;

constexpr std::array<std::string_view, 1> kFileKeys = {"rules"};
constexpr std::array<std::string_view, 12> kRuleKeys = {
    "name", "when",    "severity",    "for",    "keep_firing", "on",
    "by",   "summary", "description", "labels", "annotations", "enabled"};
constexpr std::array<std::string_view, 8> kConditionKeys = {"metric", "match", "take",  "over",
                                                            "before", "above", "below", "equal"};
constexpr std::array<std::string_view, 6> kOtherKeys = {"metric", "match",  "take",
                                                        "over",   "before", "times"};
constexpr std::array<std::string_view, 3> kSeverities = {"info", "warning", "error"};
constexpr std::array<std::string_view, 5> kTakes = {"last", "mean", "min", "max", "rise"};
constexpr std::array<std::string_view, 2> kReservedLabels = {"severity", "alertname"};

constexpr Duration kLongestWindow = 24h;
constexpr Duration kLongestHold = 24h * 7;
constexpr size_t kMaxConditions = 8;
constexpr size_t kMaxName = 100;
// A name this near to one of the catalogue's is a slip of it.
constexpr size_t kSlips = 2;

std::string_view first_word(std::string_view name) { return name.substr(0, name.find('.')); }

// The name of the agent's own that was meant, or empty. Names of other namespaces are engines'.
std::string_view meant(std::string_view name) {
  std::string_view found;
  size_t nearest_yet = kSlips + 1;
  for (const MetricRow& row : catalogue()) {
    if (first_word(row.name) != first_word(name)) continue;
    const size_t slips = edit_distance(name, row.name);
    if (slips < nearest_yet) {
      nearest_yet = slips;
      found = row.name;
    }
  }
  return found;
}

std::string_view nearest_row(std::string_view name) {
  std::vector<std::string_view> names;
  for (const MetricRow& row : catalogue()) names.push_back(row.name);
  return nearest(name, names);
}

template <typename Value, size_t N>
std::optional<Value> choice(RuleMistakes& mistakes, const RuleMap& map, std::string_view key,
                            const std::array<std::string_view, N>& words) {
  const auto said = map.text(key);
  if (!said) return std::nullopt;
  const auto found = std::ranges::find(words, *said);
  if (found != words.end()) return static_cast<Value>(found - words.begin());
  mistakes.unknown(*map.find(key), key, words);
  return std::nullopt;
}

class RuleParser {
 public:
  explicit RuleParser(std::string file) : mistakes_(std::move(file)) {}

  LoadedRules parse(std::string_view text);

 private:
  void rule(const YamlNode& node);
  std::string name_of(const RuleMap& map);
  void conditions(const YamlNode& node, Rule& rule);
  void condition(const YamlNode& node, Rule& rule);
  void compare(const RuleMap& map, Condition& condition);
  void term(const RuleMap& map, Term& term);
  void check_metric(const YamlNode& node);
  void check_text(const RuleMap& map, std::string_view key, std::string_view text);
  void check_label(const RuleMap& map, const Attribute& label);
  bool shipped() const { return mistakes_.file() == kShipped; }

  static constexpr std::string_view kShipped = "built-in";
  RuleMistakes mistakes_;
  std::vector<Rule> rules_;
};

LoadedRules RuleParser::parse(std::string_view text) {
  const auto document = parse_yaml(text);
  if (!document) {
    mistakes_.add(document.error().place, document.error().message, "correct the YAML");
  } else if (document->kind != Kind::null) {
    const RuleMap file(mistakes_, *document, kFileKeys);
    const YamlNode* list = file.find("rules");
    if (list != nullptr && list->kind != Kind::sequence && list->kind != Kind::null) {
      file.wrong(*list, "rules", "a list");
    } else if (list != nullptr && list->items.size() > kMaxRules) {
      mistakes_.add(list->place, fmt::format("more than {} rules", kMaxRules), "remove some");
    } else if (list != nullptr) {
      for (const YamlNode& node : list->items) rule(node);
    }
  }
  return {std::move(rules_), mistakes_.take()};
}

std::string RuleParser::name_of(const RuleMap& map) {
  const auto name = map.text("name");
  if (!name) {
    if (!map.has("name")) {
      mistakes_.add(map.node().place, "the rule has no name", "add name: GpuHot, say");
    }
    return {};
  }
  const bool fine =
      !name->empty() && name->size() <= kMaxName && std::ranges::all_of(*name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
      });
  if (!fine) {
    map.wrong(*map.find("name"), "name", "letters, digits, '_', '-' and '.', 100 at most");
  } else if (std::ranges::find(rules_, *name, &Rule::name) != rules_.end()) {
    mistakes_.add(map.find("name")->place, fmt::format("there is a rule \"{}\" already", *name),
                  "give one of them another name");
  }
  return *name;
}

void RuleParser::rule(const YamlNode& node) {
  const size_t before = mistakes_.count();
  const RuleMap map(mistakes_, node, kRuleKeys);
  if (node.kind != Kind::map) return;
  Rule rule;
  rule.name = name_of(map);
  rule.origin =
      shipped() ? std::string(kShipped) : fmt::format("{}:{}", mistakes_.file(), node.place.line);
  rule.enabled = map.flag("enabled").value_or(true);
  const bool switches_off = !rule.enabled && node.keys.size() == 2;
  if (!switches_off) {
    rule.severity =
        choice<Severity>(mistakes_, map, "severity", kSeverities).value_or(Severity::warning);
    rule.hold = map.duration("for", kLongestHold).value_or(Duration{});
    rule.keep_firing = map.duration("keep_firing", kLongestHold).value_or(Duration{});
    rule.on = map.texts("on");
    rule.by = map.texts("by");
    rule.labels = map.pairs("labels");
    rule.annotations = map.pairs("annotations");
    rule.summary = map.text("summary").value_or("");
    rule.description = map.text("description").value_or("");
    check_text(map, "summary", rule.summary);
    check_text(map, "description", rule.description);
    for (const Attribute& a : rule.annotations) check_text(map, "annotations", a.value);
    for (const Attribute& label : rule.labels) check_label(map, label);
    if (const YamlNode* when = map.find("when"); when == nullptr) {
      mistakes_.add(node.place, fmt::format("rule \"{}\" says not when", shown(rule.name)),
                    "add when: {metric: ..., above: ...}; a rule that replaces a shipped one says "
                    "everything again, one with enabled: false alone switches it off");
    } else if (!map.has("summary")) {
      mistakes_.add(node.place, fmt::format("rule \"{}\" has no summary", shown(rule.name)),
                    "add summary: one line that says what is wrong");
    } else {
      conditions(*when, rule);
    }
  }
  if (mistakes_.count() == before) rules_.push_back(std::move(rule));
}

void RuleParser::check_text(const RuleMap& map, std::string_view key, std::string_view text) {
  const auto parsed = TextTemplate::parse(text);
  if (!parsed) mistakes_.add(map.find(key)->place, parsed.error().message, parsed.error().hint);
}

void RuleParser::check_label(const RuleMap& map, const Attribute& label) {
  const YamlPlace place = map.find("labels")->place;
  if (std::ranges::find(kReservedLabels, label.key) != kReservedLabels.end()) {
    mistakes_.add(place, fmt::format("the label \"{}\" is the rule's own", label.key),
                  "remove it; say severity: beside labels:");
  } else if (label.value.find("{{") != std::string::npos) {
    mistakes_.add(place, fmt::format("the label \"{}\" has braces", shown(label.key)),
                  "labels stay the same; use annotations: for what changes");
  }
}

void RuleParser::conditions(const YamlNode& node, Rule& rule) {
  if (node.kind != Kind::sequence) return condition(node, rule);
  if (node.items.empty() || node.items.size() > kMaxConditions) {
    mistakes_.add(node.place, fmt::format("\"when\" has {} conditions", node.items.size()),
                  fmt::format("give 1 to {}", kMaxConditions));
    return;
  }
  for (const YamlNode& item : node.items) condition(item, rule);
}

void RuleParser::condition(const YamlNode& node, Rule& rule) {
  const RuleMap map(mistakes_, node, kConditionKeys);
  if (node.kind != Kind::map) return;
  Condition out;
  if (!map.has("metric")) {
    mistakes_.add(node.place, "the condition names no metric", "add metric: gpu.temperature, say");
  }
  term(map, out.term);
  compare(map, out);
  rule.conditions.push_back(std::move(out));
}

void RuleParser::compare(const RuleMap& map, Condition& condition) {
  const YamlNode* against = nullptr;
  std::string_view word;
  for (const Comparison comparison : {Comparison::above, Comparison::below, Comparison::equal}) {
    const YamlNode* found = map.find(to_string(comparison));
    if (found == nullptr) continue;
    if (against != nullptr) {
      mistakes_.add(found->place, "the condition compares twice",
                    "write two conditions: when: [{...}, {...}]");
      return;
    }
    against = found;
    word = to_string(comparison);
    condition.comparison = comparison;
  }
  if (against == nullptr) {
    mistakes_.add(map.node().place, "the condition compares with nothing",
                  "add above:, below: or equal:");
    return;
  }
  if (against->kind != Kind::map) {
    condition.threshold = map.number(word).value_or(0);
    return;
  }
  const RuleMap other(mistakes_, *against, kOtherKeys);
  condition.other = condition.term;
  condition.other->before = {};
  term(other, *condition.other);
  condition.factor = other.number("times").value_or(1);
  if (*condition.other == condition.term) {
    mistakes_.add(against->place, "the condition compares something with itself",
                  "add before: 1h, or another metric");
  }
}

// What is not said stays as it is.
void RuleParser::term(const RuleMap& map, Term& term) {
  if (const auto metric = map.text("metric")) {
    term.metric = *metric;
    check_metric(*map.find("metric"));
  }
  if (auto matchers = map.matchers("match")) term.matchers = std::move(*matchers);
  const auto take = choice<Take>(mistakes_, map, "take", kTakes);
  if (!take && map.has("take")) return;
  if (take) term.take = *take;
  if (take == Take::last) term.over = {};
  if (const auto over = map.duration("over", kLongestWindow)) term.over = *over;
  if (const auto before = map.duration("before", kLongestWindow)) term.before = *before;
  const bool window = term.over > Duration::zero();
  if (window == (term.take != Take::last)) return;
  mistakes_.add(map.node().place,
                window ? "a window of time, and not what to take of it"
                       : fmt::format("\"take: {}\" needs a window of time", to_string(term.take)),
                window ? "add take: mean, min, max or rise" : "add over: 5m, say");
}

void RuleParser::check_metric(const YamlNode& node) {
  const std::string& name = node.scalar;
  if (const auto metric = find_metric(name)) {
    if (row(*metric).kind == MetricKind::histogram) {
      mistakes_.add(node.place, fmt::format("\"{}\" is a histogram", name),
                    "take a number that is made of it, such as llm.latency.quantile");
    } else if (*metric == Metric::warpsight_alerts) {
      mistakes_.add(node.place, fmt::format("\"{}\" is made of alerts", name), "take another");
    }
    return;
  }
  const std::string_view near = shipped() ? nearest_row(name) : meant(name);
  if (!shipped() && near.empty() && !name.empty()) return;
  mistakes_.add(node.place, fmt::format("unknown metric \"{}\"", shown(name)),
                near.empty() ? "see docs/metrics.md" : fmt::format("did you mean \"{}\"?", near));
}

}  // namespace

LoadedRules parse_rules(std::string_view text, const std::string& file) {
  return RuleParser(file).parse(text);
}

}  // namespace warpsight::alerts

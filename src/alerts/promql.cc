#include "alerts/promql.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "alerts/text_template.h"
#include "core/catalogue.h"
#include "core/quantity.h"
#include "wire/json.h"
#include "wire/number.h"
#include "wire/prometheus_name.h"

namespace warpsight::alerts {
namespace {

std::string number(double value) {
  std::string out;
  append_number(out, value);
  return out;
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string regex_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string label_matcher(const Matcher& matcher) {
  const std::string label = prometheus_label(matcher.key);
  if (matcher.values.size() == 1) {
    return label + (matcher.negated ? "!=" : "=") + quoted(matcher.values.front());
  }
  std::string pattern;
  for (const std::string& value : matcher.values) {
    if (&value != &matcher.values.front()) pattern += '|';
    pattern += regex_escaped(value);
  }
  return label + (matcher.negated ? "!~" : "=~") + quoted(pattern);
}

std::string metric_name(const std::string& metric) {
  const auto known = find_metric(metric);
  return known ? prometheus_name(row(*known).name, row(*known).unit, row(*known).kind).sample
               : prometheus_name(metric, "", MetricKind::gauge).sample;
}

std::string selector(const Term& term) {
  std::string out = metric_name(term.metric);
  if (term.matchers.empty()) return out;
  out += '{';
  for (const Matcher& matcher : term.matchers) {
    if (&matcher != &term.matchers.front()) out += ',';
    out += label_matcher(matcher);
  }
  return out + '}';
}

std::string term_text(const Term& term) {
  const std::string series = selector(term);
  const std::string offset =
      term.before > Duration::zero() ? " offset " + format_duration(term.before) : "";
  const auto over_time = [&](std::string_view function) {
    return fmt::format("{}_over_time({}[{}]{})", function, series, format_duration(term.over),
                       offset);
  };
  switch (term.take) {
    case Take::last: return series + offset;
    case Take::mean: return over_time("avg");
    case Take::min: return over_time("min");
    case Take::max: return over_time("max");
    case Take::rise: return fmt::format("{}{} - {}", series, offset, over_time("min"));
  }
  return {};
}

// Whether the term says something of series that are not there any more.
bool outlives_series(const Term& term) {
  const bool reads_now = term.take == Take::last || term.take == Take::rise;
  return term.before > Duration::zero() || !reads_now;
}

std::string_view sign(Comparison comparison) {
  switch (comparison) {
    case Comparison::above: return ">";
    case Comparison::below: return "<";
    case Comparison::equal: return "==";
  }
  return "";
}

std::string condition_text(const Condition& condition) {
  std::string against = number(condition.threshold);
  if (condition.other) {
    against = term_text(*condition.other);
    if (condition.factor != 1) {
      const bool sum = condition.other->take == Take::rise;
      against = fmt::format("{} * {}{}{}", number(condition.factor), sum ? "(" : "", against,
                            sum ? ")" : "");
    }
  }
  std::string out =
      fmt::format("{} {} {}", term_text(condition.term), sign(condition.comparison), against);
  if (outlives_series(condition.term)) out += " and " + selector(condition.term);
  return out;
}

std::string labels(const std::vector<std::string>& keys) {
  std::vector<std::string> out;
  out.reserve(keys.size());
  for (const std::string& key : keys) out.push_back(prometheus_label(key));
  return fmt::format("{}", fmt::join(out, ", "));
}

void add_line(std::string& out, int depth, std::string_view key, std::string_view value) {
  out.append(static_cast<size_t>(depth), ' ').append(key).append(": ");
  append_json_string(out, value);
  out += '\n';
}

void add_rule(std::string& out, const Rule& rule) {
  constexpr int kFields = 8;
  constexpr int kInner = 10;
  out += fmt::format("      - alert: {}\n", rule.name);
  add_line(out, kFields, "expr", promql(rule));
  if (rule.hold > Duration::zero()) {
    out += fmt::format("        for: {}\n", format_duration(rule.hold));
  }
  if (rule.keep_firing > Duration::zero()) {
    out += fmt::format("        keep_firing_for: {}\n", format_duration(rule.keep_firing));
  }
  out += "        labels:\n";
  add_line(out, kInner, "severity", to_string(rule.severity));
  for (const Attribute& a : rule.labels) add_line(out, kInner, prometheus_label(a.key), a.value);
  out += "        annotations:\n";
  const auto metric = find_metric(rule.conditions.front().term.metric);
  const std::string value = prometheus_value_text(metric ? row(*metric).unit : "");
  const auto annotate = [&](std::string_view key, std::string_view text) {
    const auto parsed = TextTemplate::parse(text);
    if (parsed && !text.empty()) add_line(out, kInner, key, parsed->for_prometheus(value));
  };
  annotate("summary", rule.summary);
  annotate("description", rule.description);
  for (const Attribute& a : rule.annotations) annotate(prometheus_label(a.key), a.value);
}

// With what tells one agent's series from another's in a Prometheus of many.
std::string labels_of_node(const std::vector<std::string>& keys) {
  return labels(keys) + ", job, instance";
}

}  // namespace

std::string promql(const Rule& rule) {
  std::string out;
  for (const Condition& condition : rule.conditions) {
    const bool first = &condition == &rule.conditions.front();
    if (!first)
      out += rule.on.empty() ? " and " : fmt::format(" and on ({}) ", labels_of_node(rule.on));
    const std::string text = condition_text(condition);
    out += first && rule.conditions.size() == 1 ? text : "(" + text + ")";
  }
  if (rule.by.empty() || rule.conditions.empty()) return out;
  const bool lowest = rule.conditions.front().comparison == Comparison::below;
  return fmt::format("{} by ({}) ({})", lowest ? "min" : "max", labels_of_node(rule.by), out);
}

std::string prometheus_rules(std::span<const Rule> rules, Duration interval) {
  std::string out = fmt::format(
      "# Written by `warpsight rules --prometheus`.\n"
      "groups:\n  - name: warpsight\n    interval: {}\n    rules:\n",
      format_duration(interval));
  bool any = false;
  for (const Rule& rule : rules) {
    if (!rule.enabled || rule.conditions.empty()) continue;
    add_rule(out, rule);
    any = true;
  }
  if (!any) out.insert(out.size() - 1, " []");
  return out;
}

}  // namespace warpsight::alerts

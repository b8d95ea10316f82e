#include "sources/engines/tables/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/window_rules.h"
#include "platform/file.h"
#include "sources/engines/tables/builtin.h"
#include "sources/engines/tables/release.h"
#include "sources/engines/tables/table_draft.h"

namespace warpsight::engines {
namespace {

// What the row is already, where that is something else. An added row stays until the agent ends.
void check_free(const DraftMetric& metric, TableMistakes& mistakes) {
  const auto known = find_metric(metric.row.name);
  if (!known || metric.built_in) return;
  const MetricRow& is = row(*known);
  if (is.kind == metric.row.kind && is.unit == metric.row.unit) return;
  mistakes.add(
      metric.place,
      fmt::format("{} is a {} in \"{}\" already, not a {} in \"{}\"", is.name, to_string(is.kind),
                  is.unit, to_string(metric.row.kind), shown(metric.row.unit)),
      "give it another name, or restart the agent if its own table was changed");
}

std::optional<Metric> declare(const DraftMetric& metric, TableMistakes& mistakes) {
  const auto id = metric.built_in ? find_metric(metric.row.name) : add_metric(metric.row);
  if (id) return id;
  check_free(metric, mistakes);
  mistakes.add(metric.place,
               fmt::format("{} is one metric too many: {} may be added", shown(metric.row.name),
                           kMaxAddedRows),
               "remove tables or rows");
  return std::nullopt;
}

std::vector<WindowTerm> find_terms(const std::vector<DraftTerm>& terms, YamlPlace place,
                                   TableMistakes& mistakes) {
  std::vector<WindowTerm> found;
  for (const DraftTerm& term : terms) {
    const bool whole = term.part == WindowTerm::Part::value;
    const MetricKind wanted = whole ? MetricKind::counter : MetricKind::histogram;
    const auto metric = find_metric(term.name);
    if (!metric || row(*metric).kind != wanted) {
      mistakes.add(place, fmt::format("there is no {} \"{}\"", to_string(wanted), shown(term.name)),
                   "name a counter, or a histogram with :sum or :count");
      return {};
    }
    found.push_back({*metric, term.part});
  }
  return found;
}

// All of it, or nothing but rows that nothing writes.
void declare(TableDraft& draft, TableMistakes& mistakes) {
  for (const auto& own : draft.own) {
    if (own) check_free(*own, mistakes);
  }
  for (const DraftWindow& window : draft.windows) check_free(window.to, mistakes);
  for (size_t i = 0; i < draft.own.size() && !mistakes.any(); ++i) {
    const auto& own = draft.own[i];
    if (own) draft.table.metrics[i].own = declare(*own, mistakes);
  }
  std::vector<WindowRule> rules;
  for (const DraftWindow& window : draft.windows) {
    if (mistakes.any()) return;
    const auto to = declare(window.to, mistakes);
    auto over = find_terms(window.over, window.to.place, mistakes);
    auto under = find_terms(window.under, window.to.place, mistakes);
    if (to) rules.push_back({*to, window.kind, std::move(over), std::move(under)});
  }
  if (mistakes.any()) return;
  for (const WindowRule& rule : rules) add_window_rule(rule);
  draft.table.windows = std::move(rules);
}

Result<YamlNode> tree_of(std::string_view yaml, std::string_view file) {
  auto root = parse_yaml(yaml, kMaxTableNodes);
  if (root) return std::move(*root);
  TableMistakes mistakes(file);
  mistakes.add(root.error().place, root.error().message, "correct the file");
  return tl::unexpected(mistakes.first());
}

Result<EngineTable> table_of(const YamlNode& root, std::string_view file) {
  TableMistakes mistakes(file);
  TableDraft draft = read_table(root, mistakes);
  if (!mistakes.any()) declare(draft, mistakes);
  if (mistakes.any()) return tl::unexpected(mistakes.first());
  return std::move(draft.table);
}

// Without judging the rest.
std::string_view name_of(const YamlNode& root) {
  const auto key = std::ranges::find(root.keys, "name", &YamlNode::scalar);
  if (key == root.keys.end()) return {};
  return root.items[static_cast<size_t>(key - root.keys.begin())].scalar;
}

struct UserTable {
  std::string_view file;
  YamlNode root;
};

}  // namespace

const LabelRule* EngineTable::label(std::string_view from) const {
  const auto found = std::ranges::find(labels, from, &LabelRule::from);
  return found == labels.end() ? nullptr : &*found;
}

Result<EngineTable> parse_table(std::string_view yaml, std::string_view file) {
  return tree_of(yaml, file).and_then([&](const YamlNode& root) { return table_of(root, file); });
}

Result<EngineTables> EngineTables::load(std::span<const std::string> files) {
  std::vector<UserTable> users;
  for (const std::string& file : files) {
    auto text = read_file(file, kMaxYamlBytes);
    if (!text) return tl::unexpected(text.error());
    auto root = tree_of(*text, file);
    if (!root) return tl::unexpected(root.error());
    users.push_back({file, std::move(*root)});
  }
  EngineTables tables;
  for (const BuiltinTable& builtin : builtin_tables()) {
    const auto replaces = [&](const UserTable& user) { return name_of(user.root) == builtin.name; };
    if (std::ranges::any_of(users, replaces)) continue;
    auto table = parse_table(builtin.yaml, fmt::format("built-in {}.yaml", builtin.name));
    if (!table) return tl::unexpected(table.error());
    tables.tables_.push_back(std::move(*table));
  }
  for (const UserTable& user : users) {
    auto table = table_of(user.root, user.file);
    if (!table) return tl::unexpected(table.error());
    if (tables.find(table->name) != nullptr) {
      return fail(fmt::format("{}: there are two tables named \"{}\"", user.file, table->name),
                  "remove one");
    }
    tables.tables_.push_back(std::move(*table));
  }
  return tables;
}

const EngineTable* EngineTables::find(std::string_view name) const {
  const auto found = std::ranges::find(tables_, name, &EngineTable::name);
  return found == tables_.end() ? nullptr : &*found;
}

Result<const EngineTable*> EngineTables::get(std::string_view name) const {
  if (const EngineTable* found = find(name)) return found;
  std::vector<std::string_view> known;
  known.reserve(tables_.size());
  for (const EngineTable& table : tables_) known.emplace_back(table.name);
  return fail(fmt::format("no engine is called \"{}\"", shown(name)),
              fmt::format("known are: {}", fmt::join(known, ", ")));
}

VersionSpan betrayed_version(const EngineTable& table, std::span<const std::string_view> names) {
  VersionSpan betrayed;
  for (const std::string_view name : names) {
    const auto span = std::ranges::lower_bound(table.versions, name, {}, &NameSpan::name);
    if (span == table.versions.end() || span->name != name) continue;
    const bool later = compare_releases(span->since, betrayed.since) > 0;
    if (!span->since.empty() && (betrayed.since.empty() || later)) betrayed.since = span->since;
    const bool earlier = compare_releases(span->until, betrayed.until) < 0;
    if (!span->until.empty() && (betrayed.until.empty() || earlier)) betrayed.until = span->until;
  }
  return betrayed;
}

}  // namespace warpsight::engines

#include "sources/engines/tables/table_draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/nearest.h"

namespace warpsight::engines {
namespace {

constexpr size_t kMaxTerms = 32;
constexpr std::array<std::string_view, 19> kTableKeys = {
    "name",     "title",    "provider", "subject",   "role",         "ports",  "paths",
    "commands", "owned_by", "signs",    "prefixes",  "version_path", "labels", "re_exports",
    "metrics",  "windows",  "versions", "key_names", "blanks"};
constexpr std::array<std::string_view, 5> kLabelKeys = {"from", "to", "tells_subject", "rank",
                                                        "common_only"};
constexpr std::array<std::string_view, 4> kReExportKeys = {"via", "prefix", "stands_for", "labels"};
constexpr std::array<std::string_view, 12> kMetricKeys = {
    "from",  "where", "own",    "common",     "kind",        "unit",
    "about", "scale", "across", "attributes", "count_items", "whole"};
constexpr std::array<std::string_view, 5> kWindowKeys = {"to", "unit", "about", "rate", "ratio"};
constexpr std::array<std::string_view, 2> kRatioKeys = {"over", "under"};

template <typename T>
using Choice = std::pair<std::string_view, T>;

constexpr std::array<Choice<Subject>, 2> kSubjects = {
    {{"model", Subject::model}, {"gpu", Subject::gpu}}};
constexpr std::array<Choice<Role>, 2> kRoles = {
    {{"engine", Role::engine}, {"gateway", Role::gateway}}};
constexpr std::array<Choice<std::optional<Across>>, 3> kAcross = {
    {{"sum", Across::sum}, {"mean", Across::mean}, {"max", Across::max}}};
constexpr std::array<Choice<std::optional<MetricKind>>, 5> kKinds = {
    {{"gauge", MetricKind::gauge},
     {"counter", MetricKind::counter},
     {"up_down_counter", MetricKind::up_down_counter},
     {"histogram", MetricKind::histogram},
     {"info", MetricKind::info}}};

const MetricRow* built_in(std::string_view name) {
  const auto found = std::ranges::find(catalogue(), name, &MetricRow::name);
  return found == catalogue().end() ? nullptr : &*found;
}

bool is_name(std::string_view text, std::string_view punctuation) {
  const auto fits = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           punctuation.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::ranges::all_of(text, fits);
}

class Drafter {
 public:
  explicit Drafter(TableMistakes& mistakes) : mistakes_(mistakes) {}

  TableDraft read(const YamlNode& root);

 private:
  void read_label(const YamlNode& node, std::vector<LabelRule>& labels);
  void read_re_export(const YamlNode& node);
  void read_metric(const YamlNode& node);
  void read_window(const YamlNode& node);
  void read_versions(const TableMap& map);
  void read_key_names(const TableMap& map);

  const MetricRow* common_row(std::string_view name, YamlPlace place);
  std::vector<DraftTerm> terms(const TableMap& map, std::string_view key);
  // Whether a name of the table's own was given with all that a row needs.
  bool whole(const AddedRow& row, YamlPlace place);
  std::string attributes_of(const MetricRule& rule) const;

  TableMistakes& mistakes_;
  TableDraft draft_;
};

TableDraft Drafter::read(const YamlNode& root) {
  const TableMap map(mistakes_, root, kTableKeys);
  EngineTable& table = draft_.table;
  map.text("name", table.name);
  if (!mistakes_.any() && !is_name(table.name, "_")) {
    mistakes_.add(map.place(), fmt::format("\"{}\" is no name for a table", shown(table.name)),
                  "name it in lower-case letters, digits and '_'");
  }
  table.title = table.name;
  map.text("title", table.title);
  table.provider = table.name;
  map.text("provider", table.provider);
  map.choice("subject", table.subject, kSubjects);
  map.choice("role", table.role, kRoles);
  map.ports("ports", table.ports);
  map.numbers("blanks", table.blanks);
  map.texts("paths", table.paths);
  map.texts("commands", table.commands);
  map.texts("owned_by", table.owned_by);
  map.text("version_path", table.version_path);
  map.texts("prefixes", table.prefixes);
  map.texts("signs", table.signs);
  map.each("labels", [&](const YamlNode& node) { read_label(node, table.labels); });
  map.each("re_exports", [&](const YamlNode& node) { read_re_export(node); });
  map.each("metrics", [&](const YamlNode& node) { read_metric(node); });
  map.each("windows", [&](const YamlNode& node) { read_window(node); });
  read_versions(map);
  read_key_names(map);
  return std::move(draft_);
}

void Drafter::read_label(const YamlNode& node, std::vector<LabelRule>& labels) {
  const TableMap map(mistakes_, node, kLabelKeys);
  LabelRule rule;
  std::vector<std::string> names;
  map.texts("from", names);
  map.text("to", rule.to);
  map.flag("tells_subject", rule.tells_subject);
  map.flag("rank", rule.rank);
  if (map.find("common_only") != nullptr) map.text("common_only", rule.common_only.emplace());
  if (!mistakes_.any() && (names.empty() || map.find("to") == nullptr)) {
    mistakes_.add(map.place(), "a label needs \"from\" and \"to\"",
                  "give both; to: \"\" leaves the label out");
  }
  if (labels.size() + names.size() > kMaxTableRows) {
    mistakes_.add(map.place(), fmt::format("more than {} labels", kMaxTableRows),
                  "split the table");
    return;
  }
  for (std::string& name : names) {
    if (std::ranges::find(labels, name, &LabelRule::from) != labels.end()) {
      mistakes_.add(map.place(), fmt::format("label \"{}\" has a rule already", shown(name)),
                    "remove one");
    }
    rule.from = std::move(name);
    labels.push_back(rule);
  }
}

void Drafter::read_re_export(const YamlNode& node) {
  const TableMap map(mistakes_, node, kReExportKeys);
  ReExport& re_export = draft_.table.re_exports.emplace_back();
  map.text("via", re_export.via);
  map.text("prefix", re_export.prefix);
  map.text("stands_for", re_export.stands_for);
  map.each("labels", [&](const YamlNode& label) { read_label(label, re_export.labels); });
  if (!mistakes_.any() && (re_export.via.empty() || re_export.prefix.empty())) {
    mistakes_.add(map.place(), "a re-export needs \"via\" and \"prefix\"", "give both");
  }
}

const MetricRow* Drafter::common_row(std::string_view name, YamlPlace place) {
  const std::string_view prefix = draft_.table.subject == Subject::gpu ? "gpu." : "llm.";
  std::vector<std::string_view> candidates;
  for (const MetricRow& row : catalogue()) {
    if (!row.name.starts_with(prefix)) continue;
    if (row.name == name) return &row;
    candidates.push_back(row.name);
  }
  const std::string_view near = nearest(name, candidates);
  mistakes_.add(place, fmt::format("\"{}\" is no common metric", shown(name)),
                near.empty() ? fmt::format("use a built-in one that begins with {}", prefix)
                             : fmt::format("did you mean \"{}\"?", near));
  return nullptr;
}

bool Drafter::whole(const AddedRow& row, YamlPlace place) {
  if (!is_name(row.name, "_.")) {
    mistakes_.add(place, fmt::format("\"{}\" is no metric's name", shown(row.name)),
                  "name it in lower-case letters, digits, '_' and '.'");
  } else if (built_in(row.name) != nullptr) {
    mistakes_.add(place, fmt::format("\"{}\" is a built-in metric", row.name),
                  "use it as \"common\", or give another name");
  } else if (row.unit.empty() && row.kind != MetricKind::info) {
    mistakes_.add(place, fmt::format("\"{}\" has no unit", row.name),
                  "add unit, such as s, By, \"1\" or \"{request}\"");
  } else if (row.meaning.empty()) {
    mistakes_.add(place, fmt::format("\"{}\" has no meaning", row.name),
                  "add about: what it tells, in a few words");
  }
  return !mistakes_.any();
}

std::string Drafter::attributes_of(const MetricRule& rule) const {
  std::string keys = draft_.table.subject == Subject::model ? "model.name" : "";
  for (const auto& [key, value] : rule.attributes) keys += (keys.empty() ? "" : ";") + key;
  return keys;
}

void Drafter::read_metric(const YamlNode& node) {
  const TableMap map(mistakes_, node, kMetricKeys);
  MetricRule rule;
  AddedRow own;
  own.writers = "scrape";
  std::string common;
  std::optional<MetricKind> kind;
  std::optional<Across> across;
  map.texts("from", rule.from);
  map.pairs("where", rule.where);
  map.text("own", own.name);
  map.text("common", common);
  map.choice("kind", kind, kKinds);
  map.text("unit", own.unit);
  map.text("about", own.meaning);
  map.number("scale", rule.scale);
  map.choice("across", across, kAcross);
  map.pairs("attributes", rule.attributes);
  map.text("count_items", rule.count_items);
  map.flag("whole", rule.whole);
  if (mistakes_.any()) return;
  if (rule.from.empty() || (own.name.empty() && common.empty())) {
    mistakes_.add(map.place(), "a metric needs \"from\" and a name",
                  "add from, and own or common or both");
    return;
  }
  if (!common.empty()) {
    const MetricRow* row = common_row(common, map.place());
    if (row == nullptr) return;
    const bool same_unit = map.find("unit") == nullptr || own.unit == row->unit;
    if (kind.value_or(row->kind) != row->kind || !same_unit) {
      mistakes_.add(map.place(),
                    fmt::format("{} is a {} in \"{}\"", common, to_string(row->kind), row->unit),
                    "leave kind and unit out, and scale the value");
      return;
    }
    rule.common = row->id;
    kind = row->kind;
    own.unit = row->unit;
    if (own.meaning.empty()) own.meaning = row->meaning;
  }
  if (!kind) {
    mistakes_.add(map.place(), fmt::format("\"{}\" has no kind", shown(own.name)),
                  "add kind: gauge, counter or histogram");
    return;
  }
  rule.kind = own.kind = *kind;
  rule.across = across.value_or(own.unit == "1" ? Across::mean : Across::sum);
  own.attributes = attributes_of(rule);
  if (!own.name.empty() && !whole(own, map.place())) return;
  draft_.table.metrics.push_back(std::move(rule));
  draft_.own.push_back(own.name.empty() ? std::nullopt
                                        : std::optional(DraftMetric{std::move(own), map.place()}));
}

std::vector<DraftTerm> Drafter::terms(const TableMap& map, std::string_view key) {
  constexpr std::array<Choice<WindowTerm::Part>, 2> kParts = {
      {{"sum", WindowTerm::Part::sum}, {"count", WindowTerm::Part::count}}};
  std::vector<std::string> names;
  map.texts(key, names);
  std::vector<DraftTerm> terms;
  if (names.size() > kMaxTerms) {
    mistakes_.add(map.place(), fmt::format("{} terms are too many", names.size()),
                  fmt::format("at most {} can be added up", kMaxTerms));
    return terms;
  }
  for (const std::string& name : names) {
    DraftTerm& term = terms.emplace_back(name.substr(0, name.find(':')));
    if (term.name.size() == name.size()) continue;
    const auto part = std::ranges::find(kParts, std::string_view(name).substr(term.name.size() + 1),
                                        &Choice<WindowTerm::Part>::first);
    if (part == kParts.end()) {
      mistakes_.add(map.place(), fmt::format("\"{}\" is no part of a histogram", shown(name)),
                    "end it in :sum or :count");
      break;
    }
    term.part = part->second;
  }
  return terms;
}

void Drafter::read_window(const YamlNode& node) {
  const TableMap map(mistakes_, node, kWindowKeys);
  DraftWindow window;
  window.to.place = map.place();
  AddedRow& row = window.to.row;
  row.writers = "registry";
  map.text("to", row.name);
  map.text("unit", row.unit);
  map.text("about", row.meaning);
  window.over = terms(map, "rate");
  if (const YamlNode* ratio = map.find("ratio")) {
    const TableMap parts(mistakes_, *ratio, kRatioKeys);
    window.kind = WindowRule::Kind::ratio;
    window.over = terms(parts, "over");
    window.under = terms(parts, "under");
  }
  if (mistakes_.any()) return;
  const bool is_ratio = window.kind == WindowRule::Kind::ratio;
  const bool both = is_ratio && map.find("rate") != nullptr;
  if (both || window.over.empty() || window.under.empty() == is_ratio) {
    mistakes_.add(map.place(), "a window value needs counters to be made of",
                  "add rate: [...], or ratio: { over: [...], under: [...] }");
    return;
  }
  if (const MetricRow* known = built_in(row.name)) {
    window.to.built_in = true;
    if (known->kind != MetricKind::gauge) {
      mistakes_.add(map.place(), fmt::format("{} is no gauge", row.name), "choose another name");
    }
  } else {
    row.attributes = attributes_of({});
    whole(row, map.place());
  }
  draft_.windows.push_back(std::move(window));
}

void Drafter::read_versions(const TableMap& map) {
  TextPairs spans;
  map.pairs("versions", spans);
  if (mistakes_.any()) return;
  for (auto& [name, span] : spans) {
    const size_t dots = span.find("..");
    if (dots == std::string::npos) {
      mistakes_.add(map.find("versions")->place,
                    fmt::format("\"{}\" is no span of releases", shown(span)),
                    "write since..until, where either may be empty");
      return;
    }
    draft_.table.versions.push_back({std::move(name), span.substr(0, dots), span.substr(dots + 2)});
  }
  std::ranges::sort(draft_.table.versions, {}, &NameSpan::name);
}

void Drafter::read_key_names(const TableMap& map) {
  std::vector<std::string_view> made;
  for (const auto& own : draft_.own) {
    if (own) made.push_back(own->row.name);
  }
  for (const MetricRule& rule : draft_.table.metrics) {
    if (rule.common) made.push_back(row(*rule.common).name);
  }
  map.texts("key_names", draft_.table.key_names);
  if (mistakes_.any()) return;
  for (const std::string& name : draft_.table.key_names) {
    if (std::ranges::find(made, name) != made.end()) continue;
    const YamlNode& node = *map.find("key_names");
    mistakes_.unknown({.kind = YamlNode::Kind::scalar, .place = node.place, .scalar = name},
                      "metric", made);
    return;
  }
}

}  // namespace

TableDraft read_table(const YamlNode& root, TableMistakes& mistakes) {
  return Drafter(mistakes).read(root);
}

}  // namespace warpsight::engines

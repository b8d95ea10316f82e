// What is known of one kind of server that speaks Prometheus: how it is found, what its names mean.
// A table is a YAML file; the built-in ones stand in builtin/, a user adds more without rebuilding.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/catalogue.h"
#include "core/result.h"
#include "core/window_rules.h"

namespace warpsight::engines {

// What the metrics of a table are about.
enum class Subject : uint8_t {
  model,  // an engine and the models it serves
  gpu,    // devices of this node: the table's names fill gaps in what the driver says
};

// Who is believed where two tell of the same model: see `Claims`.
enum class Role : uint8_t {
  engine,   // runs the model itself
  gateway,  // stands before engines and counts their requests again
};

// What becomes of one label of the upstream page. A label without a rule keeps its own name and is
// a part of the metric, not of what it is about.
struct LabelRule {
  std::string from;
  // Attribute key; empty: left out. Of several labels with the same key the one whose rule stands
  // first counts.
  std::string to;
  bool tells_subject = false;  // one served thing from another (a model, a rank, a device)
  bool rank = false;           // one of several parts that may be merged (DP rank, replica)
  // Series that repeat or split what another one says whole: the common names take only those whose
  // label is absent, empty or this, and go without the attribute.
  std::optional<std::string> common_only;
};

// How values that fall onto one series are put together.
enum class Across : uint8_t { sum, mean, max };

// A label and its value.
using Condition = std::pair<std::string, std::string>;

struct MetricRule {
  // Upstream names, best first: of several on one page only the first counts. A histogram is named
  // by its family, everything else by its sample ("x_total", "x_sum").
  std::vector<std::string> from;
  // Labels a series must have; an empty value: absent or empty.
  std::vector<Condition> where;
  std::optional<Metric> own;     // the engine's own name for it
  std::optional<Metric> common;  // llm.*, or gpu.* where the subject is a GPU
  MetricKind kind = MetricKind::gauge;
  double scale = 1;
  Across across = Across::sum;
  std::vector<std::pair<std::string, std::string>> attributes;  // constant, of both names
  // Not empty: the value is the number of items in this label (separated by commas), of the series
  // whose own value is highest.
  std::string count_items;
  // It says as a whole what another source may say in parts: only of a device that no other source
  // tells of.
  bool whole = false;
};

// Names of this engine as another server's page has them: "ray_vllm:x" for "vllm:x".
struct ReExport {
  std::string via;     // the server that does so: "ray"
  std::string prefix;  // theirs
  std::string stands_for;
  std::vector<LabelRule> labels;  // beyond the table's own
};

// Releases in which a name is on the page. Empty: from the first, or to the newest.
struct NameSpan {
  std::string name;
  std::string since;
  std::string until;
};

struct EngineTable {
  std::string name;      // llm.engine
  std::string title;     // for people
  std::string provider;  // gen_ai.provider.name
  Subject subject = Subject::model;
  Role role = Role::engine;

  std::vector<uint16_t> ports;        // usual ones
  std::vector<std::string> paths;     // of its page, best first
  std::vector<std::string> commands;  // parts of the command line of its process
  std::vector<std::string> owned_by;  // what /v1/models says
  std::string version_path;           // answers {"version": "..."}; empty: there is none
  std::vector<std::string> prefixes;  // of its names
  std::vector<std::string> signs;     // names only it has, where it has no prefix

  std::vector<double> blanks;  // values that stand for none, where this table is expected

  std::vector<ReExport> re_exports;
  std::vector<LabelRule> labels;
  std::vector<MetricRule> metrics;
  std::vector<WindowRule> windows;
  std::vector<NameSpan> versions;
  std::vector<std::string> key_names;  // own or common metrics that a healthy page has

  const LabelRule* label(std::string_view from) const;
};

// The built-in tables, and the user's. A user's table replaces the built-in one of its name.
// Metrics and window rules that they name are declared by loading.
class EngineTables {
 public:
  EngineTables() = default;
  explicit EngineTables(std::vector<EngineTable> tables) : tables_(std::move(tables)) {}

  static Result<EngineTables> load(std::span<const std::string> files = {});

  std::span<const EngineTable> all() const { return tables_; }
  const EngineTable* find(std::string_view name) const;
  // The same for a name that a person wrote: an error lists those there are.
  Result<const EngineTable*> get(std::string_view name) const;

 private:
  std::vector<EngineTable> tables_;
};

// One YAML text; `file` names it in errors ("file:line: what; what to do").
Result<EngineTable> parse_table(std::string_view yaml, std::string_view file);

// Which releases have all of `names` and lack what they should lack: since the newest `since` and
// until the oldest `until` among the names that are there. Both empty: nothing is known.
struct VersionSpan {
  std::string since;
  std::string until;
};
VersionSpan betrayed_version(const EngineTable& table, std::span<const std::string_view> names);

}  // namespace warpsight::engines

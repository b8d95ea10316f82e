#include "sources/engines/discovery/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "net/foreign_text.h"
#include "sources/engines/discovery/listeners.h"
#include "sources/sysfs/text.h"
#include "wire/json_lookup.h"
#include "wire/prometheus_text/reader.h"

namespace warpsight::engines {
namespace {

constexpr std::string_view kVersionPath = "/version";
constexpr std::string_view kModelsPath = "/v1/models";
constexpr std::string_view kUnsafePath = "/metrics";
constexpr std::string_view kSafePath = "/prometheus/metrics";
constexpr size_t kVersionLimit = 64;

struct SwitchedOn {
  std::string_view engine;
  std::string_view hint;
};
constexpr std::array kSwitches = {
    SwitchedOn{"sglang", "start it with --enable-metrics"},
    SwitchedOn{"llamacpp", "start it with --metrics"},
    SwitchedOn{"trtllm", "set return_perf_metrics: true in its options"},
    SwitchedOn{"lmdeploy", "start it without --disable-metrics"},
    SwitchedOn{"triton", "start it with --allow-metrics=true"},
};

std::string switch_on_hint(const EngineTable& engine) {
  const auto found = std::ranges::find(kSwitches, engine.name, &SwitchedOn::engine);
  return std::string(found != kSwitches.end()
                         ? found->hint
                         : "if its page is elsewhere, name the address in the configuration");
}

// Whether reading /metrics of this engine may do harm: its page is known to be elsewhere.
bool guards_metrics(const EngineTable& table) {
  return !table.paths.empty() && std::ranges::find(table.paths, kUnsafePath) == table.paths.end();
}

struct SampleNames {
  std::vector<std::string_view> names;
  void sample(const prometheus_text::SampleView& view) {
    if (names.empty() || names.back() != view.name) names.push_back(view.name);
  }
  void type(const prometheus_text::Metadata& metadata) { names.push_back(metadata.family); }
};

prometheus_text::Summary read_names(std::string_view body, SampleNames& names) {
  return prometheus_text::read_page(body, prometheus_text::TextFormat::classic, names);
}

bool has_name(const EngineTable& table, std::string_view name) {
  return std::ranges::any_of(table.prefixes,
                             [&](const std::string& prefix) {
                               return !prefix.empty() && name.starts_with(prefix);
                             }) ||
         std::ranges::find(table.signs, name) != table.signs.end();
}

bool is_re_exported(const EngineTable& table, std::string_view name) {
  return std::ranges::any_of(table.re_exports,
                             [&](const ReExport& other) { return name.starts_with(other.prefix); });
}

// The table with the longest part of the command line. Where that would let /metrics be asked of
// what may be an engine that minds, none.
const EngineTable* by_command(std::span<const EngineTable> tables, std::string_view command_line) {
  const EngineTable* best = nullptr;
  size_t longest = 0;
  bool guarded = false;
  for (const EngineTable& table : tables) {
    if (!command_matches(table, command_line)) continue;
    guarded = guarded || guards_metrics(table);
    for (const std::string& part : table.commands) {
      if (part.size() > longest && command_line.find(part) != std::string_view::npos) {
        best = &table;
        longest = part.size();
      }
    }
  }
  return guarded && best != nullptr && !guards_metrics(*best) ? nullptr : best;
}

const EngineTable* by_owner(std::span<const EngineTable> tables, std::string_view owned_by) {
  const auto any = [&](auto&& fits) {
    const auto found = std::ranges::find_if(tables, [&](const EngineTable& table) {
      return std::ranges::any_of(table.owned_by, fits);
    });
    return found != tables.end() ? &*found : nullptr;
  };
  const EngineTable* exact = any([&](const std::string& one) { return one == owned_by; });
  if (exact != nullptr) return exact;
  // "org/model": TGI says that the model owns itself.
  if (owned_by.find('/') != std::string_view::npos) return nullptr;
  return any([&](const std::string& one) { return !one.empty() && owned_by.starts_with(one); });
}

// It answered, and has no such thing.
bool lacks(int status) {
  return (status >= 200 && status < 500 && status != 408 && status != 425 && status != 429) ||
         status == 501;
}

}  // namespace

bool is_prometheus_page(std::string_view body, std::string_view content_type) {
  if (content_type.find("html") != std::string_view::npos ||
      content_type.find("json") != std::string_view::npos) {
    return false;
  }
  SampleNames names;
  const auto summary = read_names(body, names);
  if (summary.bad_lines * 10 > summary.samples + 10) return false;
  // A page without a sample is one only when it says so.
  return summary.samples > 0 || content_type.find("openmetrics-text") != std::string_view::npos ||
         content_type.find("version=0.0.4") != std::string_view::npos;
}

Identification::Identification(std::span<const EngineTable> tables, uint16_t port,
                               std::span<const std::string> command_lines)
    : tables_(tables), port_(port) {
  for (const std::string& line : command_lines) {
    if (const EngineTable* engine = by_command(tables, line)) {
      know(*engine, Evidence::command_line);
      return;
    }
  }
  ask(Stage::version, std::string(kVersionPath));
}

std::variant<std::string, Verdict> Identification::next() const {
  if (stage_ == Stage::decided) return verdict_;
  return asked_;
}

void Identification::ask(Stage stage, std::string path) {
  stage_ = stage;
  asked_ = std::move(path);
}

void Identification::decide(Finding finding, std::string hint) {
  stage_ = Stage::decided;
  verdict_.finding = finding;
  verdict_.hint = std::move(hint);
}

void Identification::take(std::string_view path, int status, std::string_view body,
                          std::string_view content_type) {
  if (stage_ == Stage::decided || path != asked_) return;
  ++requests_;
  body = body.substr(0, kBodyLimit);
  if (status == 0) {
    decide(Finding::unreachable);
    return;
  }
  switch (stage_) {
    case Stage::version: take_version(status, body); break;
    case Stage::models: take_models(status, body); break;
    case Stage::pages: take_page(status, body, content_type); break;
    case Stage::decided: break;
  }
}

void Identification::know(const EngineTable& engine, Evidence evidence) {
  verdict_.engine = &engine;
  verdict_.evidence = evidence;
  const bool asked_already = requests_ > 0 && engine.version_path == kVersionPath;
  if (!engine.version_path.empty() && verdict_.version.empty() && !asked_already) {
    ask(Stage::version, engine.version_path);
  } else {
    ask_pages();
  }
}

void Identification::take_version(int status, std::string_view body) {
  static constexpr std::array<std::string_view, 1> kWay = {"version"};
  const auto version = status == 200 ? json_string(body, kWay) : std::nullopt;
  if (version) verdict_.version = printable_beginning(*version, kVersionLimit);
  if (verdict_.engine != nullptr) {
    ask_pages();
  } else if (status == 401 || status == 403) {
    decide(Finding::needs_credentials);
  } else if (!lacks(status)) {
    decide(Finding::undecided);
  } else {
    has_version_ = version.has_value();
    ask(Stage::models, std::string(kModelsPath));
  }
}

void Identification::take_models(int status, std::string_view body) {
  static constexpr std::array<std::string_view, 3> kWay = {"data", "0", "owned_by"};
  if (status == 401 || status == 403) {
    decide(Finding::needs_credentials);
    return;
  }
  if (!lacks(status)) {
    decide(Finding::undecided);
    return;
  }
  const auto owner = status == 200 ? json_string(body, kWay) : std::nullopt;
  if (owner) {
    if (const EngineTable* engine = by_owner(tables_, *owner)) {
      know(*engine, Evidence::models);
      return;
    }
  }
  // trtllm-serve has both, and says whose the models are.
  if (has_version_) verdict_.version.clear();
  ask_pages();
}

// Of a known engine its own pages; else what may be asked of a stranger.
void Identification::ask_pages() {
  if (verdict_.engine != nullptr) {
    pages_ = verdict_.engine->paths;
  } else if (has_version_) {
    pages_ = {std::string(kSafePath)};
  } else {
    pages_ = {std::string(kUnsafePath)};
    for (const EngineTable& table : tables_) {
      if (std::ranges::find(table.ports, port_) == table.ports.end()) continue;
      for (const std::string& path : table.paths) {
        if (std::ranges::find(pages_, path) == pages_.end()) pages_.push_back(path);
      }
    }
  }
  ask_next_page();
}

void Identification::ask_next_page() {
  if (!pages_.empty() && requests_ < kMaxRequests) {
    ask(Stage::pages, pages_.front());
  } else if (verdict_.engine != nullptr) {
    decide(Finding::metrics_off, switch_on_hint(*verdict_.engine));
  } else if (has_version_) {
    decide(Finding::undecided, "if it is an engine, name its page in the configuration");
  } else {
    decide(Finding::not_an_engine);
  }
}

void Identification::take_page(int status, std::string_view body, std::string_view content_type) {
  if (status == 401 || status == 403) {
    decide(Finding::needs_credentials);
    return;
  }
  if (!lacks(status)) {
    decide(Finding::undecided);
    return;
  }
  pages_.erase(pages_.begin());
  if (status != 200 || !is_prometheus_page(body, content_type)) {
    ask_next_page();
    return;
  }
  const EngineTable* named = whose_page(body);
  if (named != nullptr && named != verdict_.engine) {
    verdict_.engine = named;
    verdict_.evidence = Evidence::page;
  }
  if (verdict_.engine == nullptr) {
    ask_next_page();
    return;
  }
  verdict_.path = asked_;
  decide(Finding::engine);
}

// The engine that is known already if a name of it is there; else that with the most names.
const EngineTable* Identification::whose_page(std::string_view body) const {
  SampleNames names;
  read_names(body, names);
  const EngineTable* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const EngineTable& table : tables_) {
    const auto count = std::ranges::count_if(
        names.names, [&](std::string_view name) { return has_name(table, name); });
    if (count > 0 && &table == verdict_.engine) return &table;
    if (count > most) {
      best = &table;
      most = count;
    }
  }
  if (best != nullptr) return best;
  const auto shown_by_another = std::ranges::find_if(tables_, [&](const EngineTable& table) {
    return std::ranges::any_of(names.names,
                               [&](std::string_view name) { return is_re_exported(table, name); });
  });
  return shown_by_another == tables_.end() ? nullptr : &*shown_by_another;
}

}  // namespace warpsight::engines

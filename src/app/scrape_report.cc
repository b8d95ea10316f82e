#include "app/scrape_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/histogram_quantile.h"
#include "core/quantity.h"

namespace warpsight {
namespace {

using Out = std::back_insert_iterator<std::string>;

struct Latency {
  Metric metric;
  std::string_view key;  // value of llm.latency
  std::string_view title;
};
constexpr std::array kLatencies = {
    Latency{Metric::llm_ttft, "ttft", "time to first token"},
    Latency{Metric::llm_itl, "itl", "between tokens"},
    Latency{Metric::llm_tpot, "tpot", "per output token"},
    Latency{Metric::llm_request_latency, "request", "request"},
    Latency{Metric::llm_queue_latency, "queue", "in queue"},
    Latency{Metric::llm_prefill_duration, "prefill", "prefill"},
    Latency{Metric::llm_decode_duration, "decode", "decode"},
};
constexpr std::array<double, 4> kQuantiles = {0.5, 0.9, 0.95, 0.99};

// Figures that a serving engine's page should give.
constexpr std::array kExpected = {
    Metric::llm_requests_running, Metric::llm_requests_waiting,  Metric::llm_requests_finished,
    Metric::llm_tokens_prompt,    Metric::llm_tokens_generation, Metric::llm_ttft,
    Metric::llm_request_latency,  Metric::llm_kv_cache_usage,
};

// Of what has no common names, as many of its own are shown.
constexpr size_t kOwnShown = 12;

// What is known of one model; of a GPU where the page is about GPUs.
struct Subject {
  std::string name;
  std::map<Metric, double> values;  // those of several facets added up
  std::map<Metric, Histogram> histograms;
  std::map<std::string, std::map<std::string, double>> quantiles;  // by llm.latency, then by q

  std::optional<double> value(Metric metric) const {
    const auto found = values.find(metric);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
};

void add_to(Histogram& into, const Histogram& more) {
  if (into.counts.empty()) {
    into = more;
  } else if (into.bounds == more.bounds) {
    for (size_t i = 0; i < into.counts.size(); ++i) into.counts[i] += more.counts[i];
    into.sum += more.sum;
  }
}

std::string name_of(const EntityTable& entities, EntityId subject) {
  std::string name;
  entities.for_each_attribute(subject, [&](const std::string& key, const std::string& value) {
    if (key == "server.address" || key == "llm.engine" || key == "llm.engine.version") return;
    const bool plain = key == "model.name" || key == "gpu.model";
    if (!name.empty()) name += ", ";
    name += plain ? value : fmt::format("{} {}", key.substr(key.rfind('.') + 1), value);
  });
  return name;
}

EntityId subject_of(const EntityTable& entities, EntityId entity) {
  for (const EntityKind kind :
       {EntityKind::model, EntityKind::engine, EntityKind::mig, EntityKind::gpu}) {
    if (const EntityId found = entities.ancestor(entity, kind)) return found;
  }
  return entity;
}

std::vector<Subject> subjects_of(const ScrapeReading& reading) {
  std::map<uint32_t, Subject> subjects;
  const EntityTable& entities = reading.entities();
  reading.registry().read([&](const Snapshot& snapshot) {
    for (const Sample& sample : snapshot.samples) {
      const Series* series = snapshot.series_of(sample);
      if (series == nullptr) continue;
      const EntityId owner = subject_of(entities, series->entity);
      Subject& subject = subjects[owner.bits];
      if (subject.name.empty()) subject.name = name_of(entities, owner);
      if (series->metric == Metric::llm_latency_quantile) {
        subject.quantiles[entities.attribute(series->entity, "llm.latency")]
                         [entities.attribute(series->entity, "q")] = sample.value;
      } else if (const Histogram* histogram = snapshot.histogram_of(*series)) {
        add_to(subject.histograms[series->metric], *histogram);
      } else {
        subject.values[series->metric] += sample.value;
      }
    }
  });
  std::vector<Subject> list;
  list.reserve(subjects.size());
  for (auto& [bits, subject] : subjects) list.push_back(std::move(subject));
  return list;
}

std::string seconds_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.3g} ms", 1e3 * seconds);
}

class SubjectText {
 public:
  SubjectText(const Subject& subject, bool windowed, Out out)
      : subject_(subject), windowed_(windowed), out_(out) {}

  void write() {
    if (!has_common()) return write_own();
    write_name();
    line("requests",
         {count(Metric::llm_requests_running, "running"),
          count(Metric::llm_requests_waiting, "waiting"),
          count(Metric::llm_requests_finished, "finished"),
          count(Metric::llm_requests_failed, "failed"), count(Metric::llm_preemptions, "preempted"),
          rate(Metric::llm_request_rate, "finished a second")});
    line("tokens", {count(Metric::llm_tokens_prompt, "prompt"),
                    count(Metric::llm_tokens_generation, "generated"),
                    rate(Metric::llm_prompt_throughput, "prompt a second"),
                    rate(Metric::llm_generation_throughput, "generated a second")});
    line("cache", {percent(Metric::llm_kv_cache_usage, "in use"),
                   percent(Metric::llm_prefix_cache_hits, "prefix hits"),
                   percent(Metric::llm_spec_decode_accepted, "drafts accepted")});
    for (const Latency& latency : kLatencies) write_latency(latency);
  }

 private:
  static bool is_common(Metric metric) { return row(metric).name.starts_with("llm."); }
  bool has_common() const {
    const auto common = [](const auto& item) { return is_common(item.first); };
    return std::ranges::any_of(subject_.values, common) ||
           std::ranges::any_of(subject_.histograms, common);
  }
  void write_name() {
    fmt::format_to(out_, "\n  {}\n", subject_.name.empty() ? "the engine" : subject_.name);
  }
  // Of something that only the engine's own names tell of.
  void write_own() {
    if (subject_.values.empty()) return;
    write_name();
    size_t left = kOwnShown;
    for (const auto& [metric, value] : subject_.values) {
      if (left-- == 0) {
        fmt::format_to(out_, "    and {} more; --json prints them\n",
                       subject_.values.size() - kOwnShown);
        return;
      }
      fmt::format_to(out_, "    {:<34} {:.6g} {}\n", row(metric).name, value, row(metric).unit);
    }
  }
  std::string count(Metric metric, std::string_view of) const {
    const auto value = subject_.value(metric);
    return value ? fmt::format("{:.0f} {}", *value, of) : std::string();
  }
  std::string rate(Metric metric, std::string_view of) const {
    const auto value = subject_.value(metric);
    return value ? fmt::format("{:.4g} {}", *value, of) : std::string();
  }
  std::string percent(Metric metric, std::string_view of) const {
    const auto value = subject_.value(metric);
    return value ? fmt::format("{:.3g} % {}", 100 * *value, of) : std::string();
  }
  void line(std::string_view title, std::initializer_list<std::string> parts) {
    std::vector<std::string_view> some;
    for (const std::string& text : parts) {
      if (!text.empty()) some.emplace_back(text);
    }
    if (!some.empty()) fmt::format_to(out_, "    {:<20} {}\n", title, fmt::join(some, ", "));
  }
  void write_latency(const Latency& latency) {
    const auto histogram = subject_.histograms.find(latency.metric);
    if (histogram == subject_.histograms.end()) return;
    std::vector<std::string> parts;
    const auto told = subject_.quantiles.find(std::string(latency.key));
    for (const double q : kQuantiles) {
      const std::string key = fmt::format("{}", q);
      std::optional<double> value;
      if (!windowed_) {
        value = histogram_quantile(histogram->second.bounds, histogram->second.counts, q);
      } else if (told != subject_.quantiles.end() && told->second.contains(key)) {
        value = told->second.at(key);
      }
      if (value) parts.push_back(fmt::format("p{:g} {}", 100 * q, seconds_text(*value)));
    }
    fmt::format_to(out_, "    {:<20} {}\n", latency.title,
                   parts.empty() ? "none observed" : fmt::format("{}", fmt::join(parts, ", ")));
  }

  const Subject& subject_;
  bool windowed_;
  Out out_;
};

std::string version_text(const engines::VersionSpan& version) {
  if (version.since.empty() && version.until.empty()) return "its names do not tell";
  if (version.until.empty()) return fmt::format("{} or later, by its names", version.since);
  if (version.since.empty()) return fmt::format("up to {}, by its names", version.until);
  return fmt::format("{} to {}, by its names", version.since, version.until);
}

void write_devices(const std::vector<Subject>& subjects, Out out) {
  for (const Subject& subject : subjects) {
    fmt::format_to(out, "\n  {}\n", subject.name);
    for (const auto& [metric, value] : subject.values) {
      fmt::format_to(out, "    {:<34} {:.6g} {}\n", row(metric).name, value, row(metric).unit);
    }
  }
}

void write_missing(const ScrapeReading& reading, const std::vector<Subject>& subjects, Out out) {
  std::set<Metric> there;
  for (const Subject& subject : subjects) {
    for (const auto& [metric, value] : subject.values) there.insert(metric);
    for (const auto& [metric, histogram] : subject.histograms) there.insert(metric);
  }
  std::vector<std::string_view> missing;
  for (const Metric metric : kExpected) {
    if (!there.contains(metric)) missing.push_back(row(metric).name);
  }
  if (!missing.empty()) {
    fmt::format_to(out, "\nnot on this page: {}\n", fmt::join(missing, ", "));
  }
  if (!reading.windowed()) {
    fmt::format_to(out,
                   "\nquantiles are since the engine started; for rates and quantiles of now, "
                   "scrape twice: --interval 10s\n");
  }
}

}  // namespace

std::string describe_reading(const ScrapeReading& reading) {
  std::string text;
  const Out out(text);
  const engines::PageOutcome& outcome = reading.outcome();
  const ScrapedPage& page = reading.page();
  if (outcome.engines.empty()) {
    fmt::format_to(out,
                   "{}: no engine we know\n  {} samples can be read; `--raw --json` prints them, a "
                   "table of your own names them (--table)\n",
                   page.from, outcome.summary.samples);
    return text;
  }
  std::vector<std::string_view> others;
  for (const auto* engine : outcome.engines) others.emplace_back(engine->title);
  fmt::format_to(out, "{}: {}\n", page.from, fmt::join(others, " with "));
  fmt::format_to(out, "  version  {}\n", version_text(reading.version()));
  fmt::format_to(
      out, "  page     {} samples, {} bytes, {}{}\n", outcome.summary.samples, page.body.size(),
      page.format == prometheus_text::TextFormat::open_metrics ? "OpenMetrics" : "Prometheus text",
      page.took > Duration::zero() ? fmt::format(", {:.1f} ms", 1e3 * to_seconds(page.took)) : "");
  if (reading.windowed()) {
    fmt::format_to(out, "  window   {} between the two pages\n",
                   format_duration(reading.interval()));
  }
  const std::vector<Subject> subjects = subjects_of(reading);
  if (outcome.engines.front()->subject == engines::Subject::gpu) {
    write_devices(subjects, out);
    return text;
  }
  for (const Subject& subject : subjects) SubjectText(subject, reading.windowed(), out).write();
  write_missing(reading, subjects, out);
  return text;
}

}  // namespace warpsight

// Pages of serving engines, played through the built-in tables, a registry and the windows at times
// of the test's choosing, and what is then published.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/serving_windows.h"
#include "core/attributes.h"
#include "core/registry.h"
#include "sources/engines/pages/claims.h"
#include "sources/engines/pages/page_reader.h"
#include "sources/engines/pages/serving_subjects.h"
#include "sources/engines/tables/table.h"

namespace warpsight::engines::scenario {

using Bounds = std::vector<double>;

// Bounds that several engines share.
inline const Bounds kFirstTokenBounds = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1,
                                         0.25,  0.5,   0.75, 1,    2.5,  5,    7.5,  10,
                                         20,    40,    80,   160,  640,  2560};
inline const Bounds kTokenBounds = {0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5,
                                    0.75, 1,     2.5,  5,     7.5, 10,   20,  40,  80};
inline const Bounds kRequestBounds = {0.3, 0.5, 0.8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
                                      30,  40,  50,  60, 120, 240, 480, 960, 1920, 7680};

// So many observations of one value.
struct Observed {
  double value;
  uint64_t times;
};

// A latency whose scrape number n has 1000 + 60·n observations of `fast` and 50 + 40·n of `slow`,
// so that between two scrapes the median is 50/60 into the bucket of `fast` and the 95th
// percentile 35/40 into that of `slow`.
struct Latency {
  double fast;
  double slow;

  std::vector<Observed> at(uint64_t n) const {
    return {{fast, 1000 + 60 * n}, {slow, 50 + 40 * n}};
  }
};
inline double count_at(uint64_t n) { return static_cast<double>(1050 + 100 * n); }
inline double median_within(double low, double high) { return low + (high - low) * 50 / 60; }
inline double p95_within(double low, double high) { return low + (high - low) * 35 / 40; }

// The text of a page.
class Page {
 public:
  // As they stand on a page.
  Page& lines(std::string_view text) {
    text_ += text;
    return *this;
  }
  Page& value(std::string_view name, std::string_view labels, double value) {
    text_ += fmt::format("{}{} {}\n", name, braced(labels), value);
    return *this;
  }
  Page& gauge(std::string_view name, std::string_view labels, double number) {
    return type(name, "gauge").value(name, labels, number);
  }
  Page& counter(std::string_view name, std::string_view labels, double number) {
    return type(name, "counter").value(name, labels, number);
  }
  Page& histogram(std::string_view family, std::string_view labels, const Bounds& bounds,
                  const std::vector<Observed>& observed) {
    type(family, "histogram");
    const std::string before = labels.empty() ? "" : std::string(labels) + ",";
    double sum = 0;
    uint64_t count = 0;
    for (const auto& [value, times] : observed) {
      sum += value * static_cast<double>(times);
      count += times;
    }
    for (const double bound : bounds) {
      uint64_t below = 0;
      for (const auto& [value, times] : observed) below += value <= bound ? times : 0;
      text_ += fmt::format("{}_bucket{{{}le=\"{}\"}} {}\n", family, before, bound, below);
    }
    text_ += fmt::format("{}_bucket{{{}le=\"+Inf\"}} {}\n", family, before, count);
    text_ += fmt::format("{0}_sum{1} {2}\n{0}_count{1} {3}\n", family, braced(labels), sum, count);
    return *this;
  }
  operator std::string_view() const { return text_; }

 private:
  static std::string braced(std::string_view labels) {
    return labels.empty() ? std::string() : fmt::format("{{{}}}", labels);
  }
  Page& type(std::string_view family, std::string_view kind) {
    if (typed_.emplace(family).second) text_ += fmt::format("# TYPE {} {}\n", family, kind);
    return *this;
  }

  std::string text_;
  std::set<std::string, std::less<>> typed_;
};

// Values by name. A facet's attributes follow in braces; "ttft p95" is llm.latency.quantile.
using Told = std::map<std::string, double>;

MATCHER_P(SaysMatcher, expected, "says exactly what is listed") {
  for (const auto& [name, value] : expected) {
    const auto found = arg.find(name);
    if (found == arg.end()) {
      *result_listener << "\n  " << name << " is absent, expected " << value;
    } else if (!(std::abs(found->second - value) <= 1e-9 * std::max(1.0, std::abs(value)))) {
      *result_listener << "\n  " << name << " is " << found->second << ", expected " << value;
    } else {
      continue;
    }
    return false;
  }
  for (const auto& [name, value] : arg) {
    if (expected.contains(name)) continue;
    *result_listener << "\n  " << name << " is " << value << ", expected to be absent";
    return false;
  }
  return true;
}
inline auto says(Told expected) { return SaysMatcher(std::move(expected)); }

class EngineScenario : public ::testing::Test {
 protected:
  // One page that is scraped again and again.
  class Endpoint {
   public:
    Endpoint(EngineScenario& node, std::string_view address, PageSettings settings)
        : node_(node),
          subjects_(node.entities_, address),
          reader_(tables(), subjects_, node.claims_, node.entities_, std::move(settings)) {}

    // At this moment, without publishing.
    void read(std::string_view page,
              prometheus_text::TextFormat format = prometheus_text::TextFormat::classic) {
      batch_.begin(node_.clock_.now(), kInterval);
      const PageOutcome outcome = reader_.read(page, format, batch_);
      EXPECT_EQ(outcome.torn, 0U);
      EXPECT_EQ(outcome.not_merged, 0U);
      node_.registry_.apply(node_.source_, batch_, node_.clock_.now());
    }

   private:
    EngineScenario& node_;
    ServingSubjects subjects_;
    PageReader reader_;
    Batch batch_;
  };

  static constexpr Duration kInterval = std::chrono::seconds{10};

  static const EngineTables& tables() {
    static const auto loaded = EngineTables::load();
    if (!loaded) throw std::runtime_error(describe(loaded.error()));
    return *loaded;
  }

  Endpoint& add_endpoint(std::string_view address, PageSettings settings = {}) {
    return *endpoints_.emplace_back(
        std::make_unique<Endpoint>(*this, address, std::move(settings)));
  }

  // The only endpoint's page, published at once.
  void scrape(std::string_view page,
              prometheus_text::TextFormat format = prometheus_text::TextFormat::classic) {
    if (endpoints_.empty()) add_endpoint("127.0.0.1:8000");
    endpoints_.front()->read(page, format);
    publish();
  }
  void scrape_after(Duration time, std::string_view page) {
    pass(time);
    scrape(page);
  }
  void pass(Duration time) { clock_.advance(time); }
  void publish() {
    Analysis* const analyses[] = {&windows_};
    registry_.publish(clock_.now(), analyses);
  }

  // Who is spoken of: an engine ("llamacpp", "vllm via ray"), or one and what tells its model from
  // others ("vllm llm.engine.index=0,model.name=llama").
  std::vector<std::string> subjects() const {
    std::set<std::string> names;
    for (const auto& [subject, told] : all_told()) names.insert(subject);
    return {names.begin(), names.end()};
  }
  // The common names of one of them.
  Told common(const std::string& subject) const {
    Told told = told_of(subject);
    std::erase_if(told, [](const auto& item) {
      return !item.first.starts_with("llm.") && item.first.find(' ') == std::string::npos;
    });
    return told;
  }
  // Not a number when absent.
  double value(const std::string& subject, const std::string& name) const {
    const Told told = told_of(subject);
    const auto found = told.find(name);
    return found == told.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
  bool is_told(const std::string& subject, const std::string& name) const {
    return told_of(subject).contains(name);
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("scrape");
  ServingWindows windows_{entities_};
  Claims claims_;

 private:
  // Attributes of `entity` that `above` has not.
  std::string told_apart(EntityId entity, EntityId above, const MetricRow* row = nullptr) const {
    const std::vector<Attribute> common = attributes_of(entities_, above, nullptr);
    std::set<std::string> apart;
    for (const Attribute& attribute : attributes_of(entities_, entity, row)) {
      if (std::ranges::find(common, attribute) != common.end()) continue;
      apart.insert(attribute.key + "=" + attribute.value);
    }
    return fmt::format("{}", fmt::join(apart, ","));
  }
  std::string subject_of(EntityId engine, EntityId model) const {
    std::string text = entities_.attribute(engine, "llm.engine");
    const std::string via = entities_.attribute(engine, "llm.engine.via");
    if (!via.empty()) text += " via " + via;
    return model ? text + " " + told_apart(model, engine) : text;
  }
  std::string name_of(const Series& series, EntityId owner) const {
    if (series.metric == Metric::llm_latency_quantile) {
      const std::string q = entities_.attribute(series.entity, "q");
      if (q != "0.5" && q != "0.95") return {};
      return fmt::format("{} p{}", entities_.attribute(series.entity, "llm.latency"),
                         q == "0.5" ? 50 : 95);
    }
    const std::string facet = told_apart(series.entity, owner, &row(series.metric));
    const std::string name(row(series.metric).name);
    return facet.empty() ? name : name + "{" + facet + "}";
  }
  std::map<std::string, Told> all_told() const {
    std::map<std::string, Told> all;
    registry_.read([&](const Snapshot& snapshot) {
      for (const Sample& sample : snapshot.samples) {
        const Series& series = *snapshot.series_of(sample);
        const EntityId engine = entities_.ancestor(series.entity, EntityKind::engine);
        const EntityId model = entities_.ancestor(series.entity, EntityKind::model);
        const std::string name = name_of(series, model ? model : engine);
        if (!name.empty()) all[subject_of(engine, model)][name] = sample.value;
      }
    });
    return all;
  }
  Told told_of(const std::string& subject) const {
    const auto all = all_told();
    const auto found = all.find(subject);
    return found == all.end() ? Told{} : found->second;
  }

  std::vector<std::unique_ptr<Endpoint>> endpoints_;
};

}  // namespace warpsight::engines::scenario

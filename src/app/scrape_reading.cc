#include "app/scrape_reading.h"

#include <algorithm>
#include <array>

#include "sources/engines/pages/gpu_subjects.h"
#include "sources/engines/pages/serving_subjects.h"

namespace warpsight {
namespace {

using engines::EngineTable;

struct NameCollector {
  std::vector<std::string_view> names;
  void sample(const prometheus_text::SampleView& view) { names.push_back(view.name); }
};

std::vector<std::string_view> names_on(const ScrapedPage& page) {
  NameCollector collector;
  prometheus_text::read_page(page.body, page.format, collector);
  std::ranges::sort(collector.names);
  const auto repeats = std::ranges::unique(collector.names);
  collector.names.erase(repeats.begin(), repeats.end());
  return std::move(collector.names);
}

bool has_names_of(const EngineTable& table, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    return std::ranges::any_of(table.prefixes,
                               [&](const std::string& prefix) { return name.starts_with(prefix); });
  });
}

}  // namespace

ScrapeReading::ScrapeReading(ScrapeReadingSettings settings, engines::EngineTables tables,
                             std::span<const ScrapedPage> pages)
    : settings_(std::move(settings)),
      tables_(std::move(tables)),
      pages_(pages),
      registry_(entities_, {.series_per_source = settings_.page.series_limit, .events = 16}),
      writer_(registry_.add_source("scrape")),
      windows_(entities_) {}

Result<std::unique_ptr<ScrapeReading>> ScrapeReading::make(ScrapeReadingSettings settings,
                                                           std::span<const ScrapedPage> pages) {
  auto tables = engines::EngineTables::load(settings.tables);
  if (!tables) return tl::unexpected(tables.error());
  std::unique_ptr<ScrapeReading> reading(
      new ScrapeReading(std::move(settings), std::move(*tables), pages));
  if (auto ran = reading->run(); !ran) return tl::unexpected(ran.error());
  return reading;
}

Result<> ScrapeReading::run() {
  const EngineTable* engine = nullptr;
  if (!settings_.engine.empty()) {
    const auto named = tables_.get(settings_.engine);
    if (!named) return tl::unexpected(named.error());
    engine = *named;
  }
  const auto names = names_on(pages_.back());
  const EngineTable* dcgm = tables_.find("dcgm");
  const bool gpus = engine != nullptr ? engine->subject == engines::Subject::gpu
                                      : dcgm != nullptr && has_names_of(*dcgm, names);
  const std::string address =
      pages_.back().address.empty() ? pages_.back().from : pages_.back().address;
  if (gpus) {
    engine = engine != nullptr ? engine : dcgm;
    subjects_ = std::make_unique<engines::GpuSubjects>(entities_);
  } else {
    subjects_ = std::make_unique<engines::ServingSubjects>(entities_, address);
  }
  reader_ = std::make_unique<engines::PageReader>(tables_, *subjects_, claims_, entities_,
                                                  settings_.page);
  reader_->expect(engine);

  if (windowed() && pages_.front().time != Time{}) {
    settings_.interval = pages_.back().time - pages_.front().time;
  }
  const Time last = SystemClock().now();
  if (windowed()) read(pages_.front(), last - settings_.interval);
  read(pages_.back(), last);
  if (!outcome_.engines.empty()) version_ = betrayed_version(*outcome_.engines.front(), names);
  return {};
}

void ScrapeReading::read(const ScrapedPage& page, Time time) {
  batch_.begin(time, std::max<Duration>(settings_.interval, std::chrono::seconds{1}));
  outcome_ = reader_->read(page.body, page.format, batch_);
  registry_.apply(writer_, batch_, time);
  Analysis* const analyses[] = {&windows_};
  registry_.publish(time, analyses);
}

}  // namespace warpsight

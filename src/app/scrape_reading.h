// A page, or two of the same endpoint, read as the agent reads them: the same tables, registry and
// windows, with a clock of its own.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/serving_windows.h"
#include "app/scrape_page.h"
#include "core/entity.h"
#include "core/registry.h"
#include "sources/engines/pages/claims.h"
#include "sources/engines/pages/page_reader.h"
#include "sources/engines/pages/subjects.h"
#include "sources/engines/tables/table.h"

namespace warpsight {

struct ScrapeReadingSettings {
  std::string engine;  // name of a table; empty: the page tells
  std::vector<std::string> tables;
  engines::PageSettings page;
  Duration interval{};  // between the first and the second page
};

class ScrapeReading {
 public:
  // Reads the first page and, if there is one, the second, `interval` later.
  static Result<std::unique_ptr<ScrapeReading>> make(ScrapeReadingSettings settings,
                                                     std::span<const ScrapedPage> pages);

  const Registry& registry() const { return registry_; }
  const EntityTable& entities() const { return entities_; }
  const engines::PageOutcome& outcome() const { return outcome_; }  // of the last page
  const ScrapedPage& page() const { return pages_.back(); }
  bool windowed() const { return pages_.size() > 1; }
  Duration interval() const { return settings_.interval; }
  // What the names on the page say of the engine's release.
  const engines::VersionSpan& version() const { return version_; }

 private:
  ScrapeReading(ScrapeReadingSettings settings, engines::EngineTables tables,
                std::span<const ScrapedPage> pages);
  Result<> run();
  void read(const ScrapedPage& page, Time time);

  ScrapeReadingSettings settings_;
  engines::EngineTables tables_;
  std::span<const ScrapedPage> pages_;
  EntityTable entities_;
  Registry registry_;
  uint16_t writer_;
  ServingWindows windows_;
  engines::Claims claims_;
  std::unique_ptr<engines::SubjectMaker> subjects_;
  std::unique_ptr<engines::PageReader> reader_;
  Batch batch_;
  engines::PageOutcome outcome_;
  engines::VersionSpan version_;
};

}  // namespace warpsight

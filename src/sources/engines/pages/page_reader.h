// What the pages of one endpoint say, scrape after scrape, as points of our metrics.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch.h"
#include "core/entity.h"
#include "sources/engines/pages/claims.h"
#include "sources/engines/pages/subjects.h"
#include "sources/engines/tables/table.h"
#include "wire/prometheus_text/reader.h"

namespace warpsight::engines {

struct PageSettings {
  bool own = true;                 // the engine's own names
  bool common = true;              // llm.*, gpu.*
  bool raw = false;                // everything scraped, under its upstream name
  std::vector<std::string> allow;  // upstream names for `raw`, with '*'; empty: all
  std::vector<std::string> deny;
  bool merge_ranks = false;  // the common names over all ranks of a model
  size_t series_limit = 20'000;
};

// Good until the next page is read.
struct PageOutcome {
  prometheus_text::Summary summary;
  std::span<const EngineTable* const> engines;  // on the page; the one it is about first
  uint64_t torn = 0;          // histograms left out: they contradict themselves or are not whole
  uint64_t not_merged = 0;    // and because their bounds differ from another's
  uint64_t not_declared = 0;  // series whose upstream name stands for another kind of metric
};

class PageReader {
 public:
  // References outlive it. `claims` is shared by all endpoints that are counted together.
  PageReader(const EngineTables& tables, SubjectMaker& subjects, Claims& claims,
             EntityTable& entities, PageSettings settings);
  ~PageReader();

  // Only this engine's table, and those it re-exports, are looked for. nullptr: any.
  void expect(const EngineTable* engine);

  // Reads a page that was scraped at the time of `out`. Values go into `out`, as do the ends of
  // what was on earlier pages and has been missing from several.
  PageOutcome read(std::string_view body, prometheus_text::TextFormat format, Batch& out);

  // Ends all it told of: the endpoint is no more, or all is to be made anew by the next page.
  void end(Batch& out);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpsight::engines

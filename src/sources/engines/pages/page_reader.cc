#include "sources/engines/pages/page_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sources/engines/pages/bindings.h"
#include "sources/engines/pages/missing_series.h"
#include "sources/engines/pages/page_plan.h"
#include "sources/engines/pages/page_tables.h"
#include "sources/engines/pages/raw_binder.h"
#include "sources/engines/pages/raw_names.h"
#include "sources/engines/pages/series_binder.h"
#include "sources/engines/pages/series_text.h"
#include "sources/engines/pages/told_entities.h"

namespace warpsight::engines {
namespace {

using prometheus_text::SeriesIndex;

constexpr int kPeriodsClaimed = 3;

prometheus_text::SeriesLimits limits_for(size_t series) {
  constexpr size_t kMost = 2'000'000;
  constexpr size_t kBytesEach = 1'000;  // of names and labels; most have far fewer
  const auto bounded = static_cast<uint32_t>(std::min(series, kMost));
  return {.series = bounded, .bytes = static_cast<uint32_t>(bounded * kBytesEach + (1U << 20U))};
}

}  // namespace

class PageReader::Impl {
 public:
  Impl(const EngineTables& tables, SubjectMaker& subjects, Claims& claims, EntityTable& entities,
       PageSettings settings)
      : subjects_(subjects),
        claims_(claims),
        raw_wanted_(settings.raw),
        index_(limits_for(settings.series_limit)),
        tables_(tables),
        raw_names_(std::move(settings.allow), std::move(settings.deny)),
        raw_binder_(entities, raw_names_),
        binder_(
            subjects, entities,
            {.own = settings.own, .common = settings.common, .merge_ranks = settings.merge_ranks}),
        told_(subjects, entities) {}

  ~Impl() { claims_.withdraw(this); }

  void expect(const EngineTable* engine) {
    if (engine == expected_) return;
    expected_ = engine;
    anew_ = true;
  }

  PageOutcome read(std::string_view body, prometheus_text::TextFormat format, Batch& out) {
    fresh_.clear();
    PageOutcome outcome;
    outcome.summary = prometheus_text::read_scrape(body, format, index_, *this);
    raw_names_.end_page();
    prepare(out);
    claim(out);
    const PagePlan::Outcome told = plan_.tell(values_, speaks_, out);
    outcome.engines = engines_;
    outcome.not_merged = told.not_merged;
    outcome.torn = told.torn;
    outcome.not_declared = raw_names_.refused();
    return outcome;
  }

  void end(Batch& out) {
    told_.keep_only({}, out);
    claims_.withdraw(this);
    anew_ = true;
  }

  // What read_scrape() calls.
  void type(const prometheus_text::Metadata& metadata) {
    if (raw_wanted_) raw_names_.type(metadata);
  }
  void series(SeriesId id, const prometheus_text::SampleView& sample) {
    fresh_.push_back(id);
    if (values_.size() <= id) values_.resize(id + size_t{1});
    if (raw_wanted_) raw_names_.meet(id, sample.name);
  }
  void value(SeriesId id, const prometheus_text::Reading& reading) {
    values_[id] = is_blank(reading.value) ? kNoValue : reading.value;
  }

 private:
  static constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

  bool is_blank(double value) const {
    return expected_ != nullptr &&
           std::ranges::find(expected_->blanks, value) != expected_->blanks.end();
  }

  // Makes the plan fit what is on the page now.
  void prepare(Batch& out) {
    const auto missing = missing_.follow(index_);
    const uint64_t before = std::exchange(revision_, subjects_.revision());
    anew_ |= missing.forgotten || revision_ != before;
    if (!anew_ && !fresh_.empty()) anew_ = meet(fresh_);
    if (anew_) {
      bind_all();
    } else if (!fresh_.empty()) {
      bind(fresh_);
    }
    if (!anew_ && fresh_.empty() && !missing.any) return;
    anew_ = false;
    engines_ = tables_.engines();
    told_.keep_only(bindings_.slots(), out);
    plan_.arrange(bindings_, missing_.flags(values_.size()));
    speaks_.assign(bindings_.models().size(), 0);
  }

  // Whether that found a table.
  bool meet(std::span<const SeriesId> ids) {
    bool found = false;
    for (const SeriesId id : ids) {
      text_.read(index_.series(id));
      found |= tables_.meet(text_.name());
    }
    return found;
  }

  void bind_all() {
    std::vector<SeriesId> ids;
    for (SeriesId id = 0; id < index_.capacity(); ++id) {
      if (!index_.series(id).empty()) ids.push_back(id);
    }
    bindings_.clear();
    raw_names_.clear();
    tables_.expect(expected_);
    meet(ids);
    bind(ids);
  }

  void bind(std::span<const SeriesId> ids) {
    for (const SeriesId id : ids) {
      text_.read(index_.series(id));
      if (raw_wanted_) raw_names_.learn(id, text_.name());
      const NameMeaning meaning = tables_.meaning(text_.name());
      if (!meaning.uses.empty()) binder_.bind(id, text_, meaning, bindings_);
    }
    const EntityId subject = raw_wanted_ ? raw_subject() : kNoEntity;
    if (!subject) return;
    for (const SeriesId id : ids) {
      text_.read(index_.series(id));
      raw_binder_.bind(id, text_, subject, bindings_);
    }
  }

  // A page that no table knows is of an engine without a name.
  EntityId raw_subject() {
    static const EngineTable kUnknown;
    const TableOnPage* main = tables_.main();
    if (main != nullptr) return subjects_.subject(*main->table, main->via_name(), {});
    return subjects_.subject(expected_ != nullptr ? *expected_ : kUnknown, {}, {});
  }

  void claim(const Batch& out) {
    const auto models = bindings_.models();
    for (const uint32_t model : plan_.models()) {
      claims_.claim(this, models[model].model, models[model].standing, out.now(),
                    kPeriodsClaimed * out.period());
    }
    for (const uint32_t model : plan_.models()) {
      speaks_[model] =
          claims_.speaks(this, models[model].model, models[model].standing, out.now()) ? 1 : 0;
    }
  }

  SubjectMaker& subjects_;
  Claims& claims_;
  bool raw_wanted_;
  SeriesIndex index_;
  PageTables tables_;
  RawNames raw_names_;
  RawBinder raw_binder_;
  SeriesBinder binder_;
  ToldEntities told_;
  MissingSeries missing_;
  SeriesText text_;
  Bindings bindings_;
  PagePlan plan_;

  const EngineTable* expected_ = nullptr;
  uint64_t revision_ = 0;
  bool anew_ = true;             // everything is to be bound again
  std::vector<SeriesId> fresh_;  // met by this scrape
  std::vector<double> values_;   // by series
  std::vector<uint8_t> speaks_;  // by model
  std::vector<const EngineTable*> engines_;
};

PageReader::PageReader(const EngineTables& tables, SubjectMaker& subjects, Claims& claims,
                       EntityTable& entities, PageSettings settings)
    : impl_(std::make_unique<Impl>(tables, subjects, claims, entities, std::move(settings))) {}

PageReader::~PageReader() = default;

void PageReader::expect(const EngineTable* engine) { impl_->expect(engine); }

PageOutcome PageReader::read(std::string_view body, prometheus_text::TextFormat format,
                             Batch& out) {
  return impl_->read(body, format, out);
}

void PageReader::end(Batch& out) { impl_->end(out); }

}  // namespace warpsight::engines

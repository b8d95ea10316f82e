// How the values of a page become points: prepared when series come or go, then followed scrape
// after scrape without looking at anything but numbers.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/batch.h"
#include "sources/engines/pages/bindings.h"

namespace warpsight::engines {

class PagePlan {
 public:
  struct Outcome {
    uint64_t torn = 0;        // histograms left out: they contradict themselves or are not whole
    uint64_t not_merged = 0;  // and because their bounds differ from another's
  };

  // `missing` says by series id what is known and not on the page now: what it is a part of is not
  // told.
  void arrange(const Bindings& bindings, const std::vector<bool>& missing);

  // Models of which the page tells by common names, by index in the bindings.
  std::span<const uint32_t> models() const { return models_; }

  // `values` by series id, `speaks` by model.
  Outcome tell(std::span<const double> values, std::span<const uint8_t> speaks, Batch& out);

 private:
  struct Term {
    SeriesId series;
    double factor;  // scale; or the number of items
  };
  struct Number {
    Slot slot;
    uint32_t first_term;
    uint32_t terms;
    uint32_t first_start;
    uint32_t starts;
  };
  struct Distribution {
    Slot slot;
    uint32_t first_bound;
    uint32_t bounds;
    uint32_t first_part;
    uint32_t parts;
  };
  struct DistributionPart {
    uint32_t first_bucket;  // as many as there are bounds
    SeriesId total;
    SeriesId sum;
    SeriesId created;
    double scale;
  };
  using Run = std::span<const Binding* const>;  // of one slot

  // Notes what the slot is put together of.
  void compare(const Slot& slot, Run run);
  void arrange_number(const Slot& slot, Run run, std::span<const double> scales,
                      const std::vector<bool>& missing);
  void arrange_distribution(const Slot& slot, Run run, std::span<const double> scales,
                            const std::vector<bool>& missing);
  bool add_part(Distribution& distribution, Run group, double scale,
                const std::vector<bool>& missing);
  void tell_number(const Number& number, std::span<const double> values, Batch& out) const;
  bool tell_distribution(const Distribution& distribution, std::span<const double> values,
                         Batch& out);

  std::vector<Number> numbers_;
  std::vector<Term> terms_;
  std::vector<SeriesId> starts_;
  std::vector<Distribution> distributions_;
  std::vector<DistributionPart> parts_;
  std::vector<SeriesId> buckets_;
  std::vector<double> bounds_;
  std::vector<uint32_t> models_;
  std::vector<uint64_t> counts_;  // of the distribution being told
  Outcome always_;                // what no value can mend
  // Of each counter and histogram that was told: what it was put together of.
  std::unordered_map<uint64_t, uint64_t> made_of_;
  std::vector<SeriesKey> renewed_;  // those put together otherwise since the last tell()
};

}  // namespace warpsight::engines

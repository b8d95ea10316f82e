// Series that a page had and has no more. One that stays away for several pages is forgotten.
#pragma once

#include <cstdint>
#include <vector>

#include "sources/engines/pages/bindings.h"
#include "wire/prometheus_text/series_index.h"

namespace warpsight::engines {

class MissingSeries {
 public:
  static constexpr uint8_t kPagesUntilForgotten = 3;

  struct Change {
    bool any = false;        // others are missing than after the page before
    bool forgotten = false;  // some were dropped from the index
  };

  // After each scrape.
  Change follow(prometheus_text::SeriesIndex& index);

  // By series id, for ids below `size`.
  std::vector<bool> flags(size_t size) const;

 private:
  struct Absence {
    uint32_t turn = 0;  // in which it was last missing
    uint8_t pages = 0;  // in a row
  };

  std::vector<Absence> absences_;  // by series
  std::vector<SeriesId> now_;
  std::vector<SeriesId> before_;
  uint32_t turn_ = 0;
};

}  // namespace warpsight::engines

#include "sources/engines/pages/missing_series.h"

namespace warpsight::engines {

MissingSeries::Change MissingSeries::follow(prometheus_text::SeriesIndex& index) {
  Change change;
  ++turn_;
  now_.swap(before_);
  now_.clear();
  if (!index.missing().empty() && absences_.size() < index.capacity()) {
    absences_.resize(index.capacity());
  }
  for (const SeriesId id : index.missing()) {
    Absence& absence = absences_[id];
    absence.turn = turn_;
    change.any |= absence.pages == 0;
    if (++absence.pages < kPagesUntilForgotten) {
      now_.push_back(id);
    } else {
      absence.pages = 0;
      index.forget(id);
      change.forgotten = true;
    }
  }
  for (const SeriesId id : before_) {
    if (absences_[id].turn == turn_) continue;
    absences_[id].pages = 0;
    change.any = true;
  }
  return change;
}

std::vector<bool> MissingSeries::flags(size_t size) const {
  std::vector<bool> missing(size);
  for (const SeriesId id : now_) missing[id] = true;
  return missing;
}

}  // namespace warpsight::engines

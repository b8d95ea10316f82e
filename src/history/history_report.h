// What the history says of itself: its size, and what it could not keep.
#pragma once

#include "core/registry.h"
#include "history/history.h"

namespace warpsight {

class HistoryReport final : public Analysis {
 public:
  explicit HistoryReport(EntityTable& entities) : entities_(entities) {}

  // Of whom to speak from now on; nullptr: nobody. It outlives the next run.
  void watch(const History* history) { history_ = history; }

  void run(const View& view, Batch& out) override;

 private:
  EntityTable& entities_;
  const History* history_ = nullptr;
};

}  // namespace warpsight

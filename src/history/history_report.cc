#include "history/history_report.h"

namespace warpsight {

void HistoryReport::run(const View& view, Batch& out) {
  if (history_ == nullptr) return;
  const HistoryStatus status = history_->status();
  out.begin(view.now(), std::chrono::seconds{1});
  const EntityId agent =
      entities_.intern(EntityKind::agent, kNoEntity, std::initializer_list<AttributeView>{});
  const EntityId lost =
      entities_.intern(EntityKind::facet, agent, {{"stage", "history"}, {"reason", "unwritten"}});
  out.add(Metric::warpsight_history_size, agent, static_cast<double>(status.bytes));
  out.add(Metric::warpsight_dropped, lost, static_cast<double>(status.dropped));
}

}  // namespace warpsight

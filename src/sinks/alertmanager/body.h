// Alerts as an Alertmanager takes them:
//
//   [{"labels":{"alertname":"GpuHot","severity":"warning","gpu_uuid":..},
//     "annotations":{"summary":..,"description":..},"startsAt":..,"endsAt":..}]
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/alert.h"
#include "runtime/sink.h"

namespace warpsight {

// Not thread-safe.
class AlertmanagerBodies {
 public:
  // `resource` becomes labels of every alert: the node's name among them.
  AlertmanagerBodies(std::span<const Attribute> resource, Duration resend);

  // One message when an alert has begun to fire, was resolved, silenced or let speak again since
  // the last one, and every `resend` while there are any. Pending and silenced alerts are left out:
  // of one that is silenced while it fires the peer hears no more, and forgets it.
  // `interval` is that of publishes: none comes sooner than the next.
  void encode(std::span<const Alert> alerts, Time now, Duration interval, Outbox& out);

 private:
  // A firing alert ends at `unless_told` unless it is said again.
  void append(const Alert& alert, Time unless_told, std::string& body) const;

  std::vector<Attribute> resource_;
  Duration resend_;
  Time sent_{};
  std::string told_;  // which alerts the last message had, and whether they fired
};

}  // namespace warpsight

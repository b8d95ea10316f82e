// The paths of the agent's HTTP server that are neither the page's files nor its interface.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/entity.h"
#include "core/registry.h"
#include "sinks/prometheus/page.h"
#include "ui/agent_status.h"
#include "ui/http_server.h"

namespace warpsight {

// Everything must outlive the server that uses the routes. `page` may be nullptr: /metrics then
// says that it is switched off.
class AgentRoutes {
 public:
  AgentRoutes(const Clock& clock, const Registry& registry, const EntityTable& entities,
              const StatusProvider& status, PrometheusPage* page)
      : clock_(clock), registry_(registry), entities_(entities), status_(status), page_(page) {}

  // "/metrics", "/healthz", "/readyz", "/api/v1/status", "/api/v1/owners".
  std::vector<HttpRoute> table();

  // After a reload; nullptr switches the page off.
  void set_page(PrometheusPage* page) { page_ = page; }

 private:
  // Why there are no fresh values to tell, if so.
  std::optional<std::string> not_ready() const;
  void metrics(const HttpRequest& request, HttpResponse& response);

  const Clock& clock_;
  const Registry& registry_;
  const EntityTable& entities_;
  const StatusProvider& status_;
  PrometheusPage* page_;
};

}  // namespace warpsight

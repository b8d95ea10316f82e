#include "ui/routes.h"

#include <fmt/format.h>

#include "ui/accept.h"
#include "ui/owners_json.h"
#include "ui/status_json.h"

namespace warpsight {
namespace {

// Beyond this many missed publishes the last snapshot is history, not the present.
constexpr int kMissedPublishes = 3;
constexpr Duration kSlack = std::chrono::seconds{5};

void unavailable(HttpResponse& response, std::string_view why) {
  response.status = 503;
  response.headers.emplace_back("Retry-After", "5");
  response.body.append(why).append("\n");
}

}  // namespace

std::optional<std::string> AgentRoutes::not_ready() const {
  const Time published = registry_.read([](const Snapshot& snapshot) { return snapshot.time; });
  if (published == Time{}) return "Nothing was published yet; the first values are being read.";
  const Duration age = clock_.now() - published;
  if (age > kMissedPublishes * status_.publish_interval() + kSlack) {
    return fmt::format(
        "The last publish was {:.0f} s ago; the agent is stuck or overloaded, see its log.",
        to_seconds(age));
  }
  return std::nullopt;
}

void AgentRoutes::metrics(const HttpRequest& request, HttpResponse& response) {
  if (page_ == nullptr) {
    response.status = 404;
    response.body = "The Prometheus page is switched off (sinks: prometheus: enabled).\n";
    return;
  }
  // An empty page with 200 would look like a healthy node without GPUs.
  if (const auto why = not_ready()) return unavailable(response, *why);
  const PageFormat format = negotiate_page(request.header("Accept"));
  response.content_type = content_type(format);
  registry_.read([&](const Snapshot& snapshot) { page_->render(snapshot, format, response.body); });
}

std::vector<HttpRoute> AgentRoutes::table() {
  std::vector<HttpRoute> routes;
  routes.push_back({"/metrics", [this](const HttpRequest& request, HttpResponse& response) {
                      metrics(request, response);
                    }});
  routes.push_back({"/healthz",
                    [](const HttpRequest&, HttpResponse& response) { response.body = "ok\n"; },
                    true});
  routes.push_back({"/readyz",
                    [this](const HttpRequest&, HttpResponse& response) {
                      if (const auto why = not_ready()) return unavailable(response, *why);
                      response.body = "ok\n";
                    },
                    true});
  routes.push_back({"/api/v1/status", [this](const HttpRequest&, HttpResponse& response) {
                      response.content_type = "application/json";
                      append_status_json(response.body, status_.status(), registry_, entities_,
                                         clock_.now());
                    }});
  routes.push_back({"/api/v1/owners", [this](const HttpRequest&, HttpResponse& response) {
                      response.content_type = "application/json";
                      append_owners_json(response.body, status_.owners());
                    }});
  return routes;
}

}  // namespace warpsight

#include "ui/http_admission.h"

#include <algorithm>

#include "runtime/log.h"
#include "ui/host_check.h"
#include "ui/origin_check.h"
#include "ui/query_parameters.h"
#include "wire/json.h"

namespace warpsight {
namespace {

bool refuse(HttpResponse& response, int status, std::string_view why) {
  response.status = status;
  response.body.assign(why).append("\n");
  return true;
}

bool changes_something(const HttpRequest& request) { return request.method() != "GET"; }

bool is_json(std::string_view content_type) {
  constexpr std::string_view kJson = "application/json";
  const std::string_view type = content_type.substr(0, content_type.find_first_of("; \t"));
  return std::ranges::equal(type, kJson, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

// Calls fn(method) for each the route takes.
template <typename Fn>
void for_each_method(const HttpRoute& route, Fn&& fn) {
  std::string_view rest = route.methods;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) fn(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

bool refuses_method(const HttpRequest& request, const HttpRoute& route, HttpResponse& response) {
  bool taken = false;
  std::string allow;
  for_each_method(route, [&](std::string_view method) {
    taken = taken || method == request.method();
    allow.append(allow.empty() ? "" : ", ").append(method == "GET" ? "GET, HEAD" : method);
  });
  if (taken) return false;
  refuse(response, 405, "Here is understood: " + allow + ".");
  response.headers.emplace_back("Allow", std::move(allow));
  return true;
}

bool refuses_content(const HttpRequest& request, HttpResponse& response) {
  if (request.method() == "POST" && !is_json(request.header("Content-Type"))) {
    return refuse(response, 415, "Send JSON, with Content-Type: application/json.");
  }
  const auto parameters = parse_query(request.query());
  if (parameters) return false;
  response.status = 400;
  response.content_type = "application/json";
  JsonWriter(response.body)
      .begin_object()
      .field("error", parameters.error().message)
      .field("hint", parameters.error().hint)
      .end_object();
  return true;
}

}  // namespace

bool HttpAdmission::refuses_connection(HttpResponse& response) const {
  if (tls || !security.tls) return false;
  response.headers.emplace_back("Connection", "close");
  return refuse(response, 400, "This port speaks TLS.");
}

bool HttpAdmission::refuses_host(const HttpRequest& request, HttpResponse& response) const {
  const std::string_view host = request.header("Host");
  if (host.empty()) return false;
  if (!is_host(host)) return refuse(response, 400, "The Host header is not a host.");
  // Only a browser can be tricked, by a site that points its own name here; and browsers always say
  // which host they mean.
  const bool open = !security.authorization.required();
  const bool wary = loopback || (open && changes_something(request));
  if (!wary || names_this_machine(host, hosts)) return false;
  return refuse(response, 421,
                "This agent answers here only to localhost, to addresses and to the node's own "
                "name.");
}

bool HttpAdmission::refuses_origin(const HttpRequest& request, HttpResponse& response) const {
  if (!changes_something(request)) return false;
  if (is_own_origin({request.header("Origin"), request.header("Sec-Fetch-Site"),
                     request.header("Host"), tls})) {
    return false;
  }
  return refuse(response, 403,
                "Changes are taken from this agent's own page and from programs, not from other "
                "sites. A proxy before the agent must pass the Host header on.");
}

bool HttpAdmission::refuses_person(const HttpRequest& request, const HttpRoute* route,
                                   HttpResponse& response) const {
  const bool open = route != nullptr && route->open;
  if (open || security.authorization.allows(request.header("Authorization"))) return false;
  security.authorization.for_each_challenge(
      [&](const char* challenge) { response.headers.emplace_back("WWW-Authenticate", challenge); });
  log_limited(LogLevel::info, "page", "a request without valid credentials was refused");
  return refuse(response, 401, "This page wants a token or a password.");
}

const HttpRoute* HttpAdmission::route(const HttpRequest& request, HttpResponse& response) const {
  if (refuses_connection(response) || refuses_host(request, response) ||
      refuses_origin(request, response)) {
    return nullptr;
  }
  const auto found = std::ranges::find(routes, request.path(), &HttpRoute::path);
  const HttpRoute* route = found == routes.end() ? nullptr : &*found;
  if (refuses_person(request, route, response)) return nullptr;
  if (route == nullptr) {
    refuse(response, 404, "Nothing here. What there is:");
    for (const HttpRoute& known : routes) response.body.append(known.path).append("\n");
    return nullptr;
  }
  const bool refused =
      refuses_method(request, *route, response) || refuses_content(request, response);
  return refused ? nullptr : route;
}

}  // namespace warpsight

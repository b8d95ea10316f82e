// Which requests reach a handler.
#pragma once

#include <span>
#include <string>

#include "ui/http_server.h"

namespace warpsight {

struct HttpAdmission {
  std::span<const HttpRoute> routes;
  const HttpSecurity& security;
  std::span<const std::string> hosts;  // names this machine goes by
  bool loopback;                       // nobody else can reach it
  bool tls;                            // the request came encrypted

  // nullptr: the response says why not.
  const HttpRoute* route(const HttpRequest& request, HttpResponse& response) const;

 private:
  bool refuses_connection(HttpResponse& response) const;
  bool refuses_host(const HttpRequest& request, HttpResponse& response) const;
  bool refuses_origin(const HttpRequest& request, HttpResponse& response) const;
  bool refuses_person(const HttpRequest& request, const HttpRoute* route,
                      HttpResponse& response) const;
};

}  // namespace warpsight

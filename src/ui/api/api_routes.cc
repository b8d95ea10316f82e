#include "ui/api/api_routes.h"

#include "ui/api/api_answers.h"

namespace warpsight {
namespace {

using Answer = void (*)(ApiInputs&, HttpResponse&);
using LateAnswer = HttpJob (*)(ApiInputs&, const Parameters&, HttpResponse&);

HttpRoute at_once(std::string path, ApiInputs& inputs, Answer answer) {
  HttpRoute route;
  route.path = std::move(path);
  route.handler = [&inputs, answer](const HttpRequest&, HttpResponse& response) {
    answer(inputs, response);
  };
  return route;
}

HttpRoute by_worker(std::string path, ApiInputs& inputs, LateAnswer answer) {
  HttpRoute route;
  route.path = std::move(path);
  route.prepare = [&inputs, answer](const HttpRequest& request, HttpResponse& response) {
    return answer(inputs, request.parameters(), response);
  };
  return route;
}

HttpRoute silences(ApiInputs& inputs) {
  HttpRoute route;
  route.path = "/api/v1/silences";
  route.methods = "POST DELETE";
  route.handler = [&inputs](const HttpRequest& request, HttpResponse& response) {
    if (request.method() == "DELETE") {
      answer_unsilence(inputs, request.parameters(), response);
    } else {
      answer_silence(inputs, request.body(), response);
    }
  };
  return route;
}

}  // namespace

std::vector<HttpRoute> api_routes(ApiInputs& inputs) {
  std::vector<HttpRoute> routes;
  routes.push_back(at_once("/api/v1/now", inputs, answer_now));
  routes.push_back(at_once("/api/v1/live", inputs, answer_live));
  routes.back().stream = true;
  routes.push_back(by_worker("/api/v1/latest", inputs, answer_latest));
  routes.push_back(by_worker("/api/v1/series", inputs, answer_series));
  routes.push_back(by_worker("/api/v1/events", inputs, answer_events));
  routes.push_back(at_once("/api/v1/alerts", inputs, answer_alerts));
  routes.push_back(silences(inputs));
  return routes;
}

}  // namespace warpsight

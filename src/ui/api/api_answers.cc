#include "ui/api/api_answers.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "ui/api/alerts_json.h"
#include "ui/api/error_json.h"
#include "ui/api/events_json.h"
#include "ui/api/events_request.h"
#include "ui/api/latest_json.h"
#include "ui/api/latest_request.h"
#include "ui/api/live_message.h"
#include "ui/api/metric_names.h"
#include "ui/api/series_json.h"
#include "ui/api/series_request.h"
#include "ui/api/silence_request.h"

namespace warpsight {
namespace {

constexpr std::string_view kJson = "application/json";

enum Status {
  kCreated = 201,
  kNoContent = 204,
  kBadRequest = 400,
  kNotFound = 404,
  kInternalError = 500,
};

void refuse(HttpResponse& response, Status status, const Error& error) {
  response.status = status;
  response.content_type = kJson;
  response.body.clear();
  append_error_json(response.body, error);
}

const Error kNoAlerts = {"no alerts are evaluated", "set alerts.enabled"};

}  // namespace

void answer_now(ApiInputs& inputs, HttpResponse& response) {
  response.content_type = kJson;
  append_now(response.body, inputs);
  response.body += '\n';
}

void answer_live(ApiInputs& inputs, HttpResponse& response) {
  response.content_type = "text/event-stream";
  response.body = live_message(inputs);
}

void answer_alerts(ApiInputs& inputs, HttpResponse& response) {
  response.content_type = kJson;
  const Time now = inputs.clock().now();
  if (alerts::Engine* engine = inputs.alerts()) {
    append_alerts_json(response.body, {engine->alerts(), engine->rules(), engine->silences(), now});
  } else {
    append_alerts_json(response.body, {{}, {}, alerts::Silences{}, now});
  }
}

HttpJob answer_latest(ApiInputs& inputs, const Parameters& parameters, HttpResponse& response) {
  auto filter = parse_latest_request(parameters);
  if (!filter) {
    refuse(response, kBadRequest, filter.error());
    return {};
  }
  auto latest = std::make_shared<const LatestValues>(latest_values(inputs.registry(), *filter));
  return [filter = *std::move(filter), latest = std::move(latest),
          &entities = inputs.entities()](HttpResponse& late) {
    late.content_type = kJson;
    append_latest_json(late.body, *latest, filter, entities);
  };
}

HttpJob answer_series(ApiInputs& inputs, const Parameters& parameters, HttpResponse& response) {
  auto query = parse_series_request(parameters, inputs.clock().now());
  if (!query) {
    refuse(response, kBadRequest, query.error());
    return {};
  }
  auto history = inputs.history();
  if (history == nullptr) {
    refuse(response, kNotFound, {"no history is kept", "set history.enabled"});
    return {};
  }
  return [query = *std::move(query), history = std::move(history)](HttpResponse& late) {
    const auto answer = history->series(query);
    if (!answer) {
      const bool asker = answer.error().cause == QueryError::Cause::question;
      return refuse(late, asker ? kBadRequest : kInternalError, answer.error());
    }
    if (answer->rows.empty()) {
      if (const auto mistake = unknown_metric(query.metrics)) {
        return refuse(late, kBadRequest, *mistake);
      }
    }
    late.content_type = kJson;
    append_series_json(late.body, query, *answer);
  };
}

HttpJob answer_events(ApiInputs& inputs, const Parameters& parameters, HttpResponse& response) {
  auto query = parse_events_request(parameters, inputs.clock().now());
  if (!query) {
    refuse(response, kBadRequest, query.error());
    return {};
  }
  auto history = inputs.history();
  if (history == nullptr) {
    response.content_type = kJson;
    append_events_json(response.body,
                       recent_events(inputs.registry().recent_events(), inputs.entities(), *query));
    return {};
  }
  return [query = *std::move(query), history = std::move(history)](HttpResponse& late) {
    const auto answer = history->events(query);
    if (!answer) return refuse(late, kInternalError, answer.error());
    late.content_type = kJson;
    append_events_json(late.body, *answer);
  };
}

void answer_silence(ApiInputs& inputs, std::string_view body, HttpResponse& response) {
  alerts::Engine* engine = inputs.alerts();
  if (engine == nullptr) return refuse(response, kNotFound, kNoAlerts);
  auto request = parse_silence_request(body);
  if (!request) return refuse(response, kBadRequest, request.error());
  const Time now = inputs.clock().now();
  const auto silence = engine->silences().add(std::move(request->matchers), now + request->lasts,
                                              std::move(request->comment), now);
  if (!silence) return refuse(response, kBadRequest, silence.error());
  inputs.silences_changed();
  response.status = kCreated;
  response.content_type = kJson;
  append_silence_json(response.body, *silence);
}

void answer_unsilence(ApiInputs& inputs, const Parameters& parameters, HttpResponse& response) {
  alerts::Engine* engine = inputs.alerts();
  if (engine == nullptr) return refuse(response, kNotFound, kNoAlerts);
  const auto id = parse_silence_id(parameters);
  if (!id) return refuse(response, kBadRequest, id.error());
  if (!engine->silences().remove(*id)) {
    return refuse(response, kNotFound,
                  {fmt::format("there is no silence {}", quoted(*id)),
                   "/api/v1/alerts lists those there are; it may have ended"});
  }
  inputs.silences_changed();
  response.status = kNoContent;
}

}  // namespace warpsight

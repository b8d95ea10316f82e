// How the HTTP interface answers, path by path: parameters in, a response out.
#pragma once

#include <string_view>

#include "ui/api/api_inputs.h"
#include "ui/api/parameters.h"
#include "ui/http_server.h"

namespace warpsight {

void answer_now(ApiInputs& inputs, HttpResponse& response);
// The beginning of the stream.
void answer_live(ApiInputs& inputs, HttpResponse& response);
void answer_alerts(ApiInputs& inputs, HttpResponse& response);

// What is left to do on the worker; none: the response is made already.
HttpJob answer_latest(ApiInputs& inputs, const Parameters& parameters, HttpResponse& response);
HttpJob answer_series(ApiInputs& inputs, const Parameters& parameters, HttpResponse& response);
HttpJob answer_events(ApiInputs& inputs, const Parameters& parameters, HttpResponse& response);

void answer_silence(ApiInputs& inputs, std::string_view body, HttpResponse& response);
void answer_unsilence(ApiInputs& inputs, const Parameters& parameters, HttpResponse& response);

}  // namespace warpsight

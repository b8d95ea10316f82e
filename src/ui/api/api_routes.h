// The paths of the HTTP interface that docs/api.md describes, beside /api/v1/status and owners.
#pragma once

#include <vector>

#include "ui/api/api_inputs.h"
#include "ui/http_server.h"

namespace warpsight {

// `inputs` outlives the server.
std::vector<HttpRoute> api_routes(ApiInputs& inputs);

}  // namespace warpsight

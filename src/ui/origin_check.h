// Whether a request that changes something comes from our own page or from a program, and not from
// another site's page in the browser of somebody who may reach us.
#pragma once

#include <string_view>

namespace warpsight {

// As the request's headers say it; empty where there is none.
struct RequestOrigin {
  std::string_view origin;      // Origin
  std::string_view fetch_site;  // Sec-Fetch-Site
  std::string_view host;        // Host
  bool tls = false;             // the request came encrypted
};

// Browsers say where a request comes from; what says nothing is none. The origin must be the host
// that was asked, port included. Its scheme must be https over TLS; without, it may be too: a proxy
// before us may have ended it.
bool is_own_origin(const RequestOrigin& request);

}  // namespace warpsight

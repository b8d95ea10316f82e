// Where a page is, as people write it.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace warpsight::engines {

struct PageAddress {
  std::string origin;   // "http://127.0.0.1:8000", or "unix:/run/engine.sock:"
  std::string path;     // "/metrics"; empty: as is usual for what answers there
  std::string address;  // server.address: "127.0.0.1:8000", or the socket's path

  std::string url(std::string_view usual_path) const {
    return origin + (path.empty() ? std::string(usual_path) : path);
  }
};

// "http://host:8000/metrics", "host:8000", "https://[::1]/metrics",
// "unix:/run/engine.sock[:/metrics]". Credentials inside are an error: they would be shown.
Result<PageAddress> parse_page_address(std::string_view text);

// Whether both name the same port of this machine, however its loopback address is written.
bool same_address(std::string_view a, std::string_view b);

}  // namespace warpsight::engines

// Where a page is, as people write it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

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

// A URL for people: without its query, which may hold a secret.
std::string shown_url(std::string_view url);

// The names and addresses under which this machine reaches itself.
class LocalAddresses {
 public:
  static LocalAddresses of_this_machine();
  explicit LocalAddresses(std::set<std::string, std::less<>> hosts) : hosts_(std::move(hosts)) {}

  // Whether both "host:port" are the same port of this machine, or simply the same.
  bool same(std::string_view a, std::string_view b) const;

 private:
  bool is_local(std::string_view host) const;

  std::set<std::string, std::less<>> hosts_;
};

}  // namespace warpsight::engines

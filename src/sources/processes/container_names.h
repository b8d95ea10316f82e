// Names and images of containers outside Kubernetes, as Docker's or Podman's API tells them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/ownership.h"
#include "net/http_client.h"
#include "wire/json_text.h"

namespace warpsight::processes {

struct ContainerName {
  std::string name;
  std::string image;

  friend bool operator==(const ContainerName&, const ContainerName&) = default;
};

// For one thread. A runtime that does not answer costs one timeout, and then a minute's rest.
class ContainerNames {
 public:
  static constexpr Duration kTimeout = std::chrono::seconds{1};
  static constexpr Duration kAskAgain = std::chrono::minutes{1};
  static constexpr size_t kMaxAnswer = size_t{1} << 20;
  static constexpr size_t kMaxAsked = 32;  // in one go
  static constexpr size_t kMaxContainers = 4096;

  // `sockets` are below the root. The clock outlives it.
  ContainerNames(const Clock& clock, std::string_view root,
                 const std::vector<std::string>& sockets);

  // Asks for those of `ids` that are not known and were not asked for lately, and forgets all that
  // are not among them. True when more is known than before.
  bool follow(const std::set<std::string>& ids);

  // Null: not known.
  const ContainerName* find(std::string_view id) const;

  std::vector<Lookup> lookups() const;

  uint64_t requests() const { return requests_; }

 private:
  struct Entry {
    bool known = false;
    ContainerName name = {};
    SteadyTime ask_at = {};
    std::string answer = {};
  };
  struct Socket {
    std::string path;
    SteadyTime rest_until = {};
  };

  void ask(const std::string& id, Entry& entry);
  bool ask_at(Socket& socket, const std::string& id, Entry& entry);
  HttpClient* client(std::string& why_not);

  const Clock& clock_;
  std::vector<Socket> sockets_;
  std::unique_ptr<HttpClient> client_;  // made when first needed
  JsonText json_{kMaxAnswer};
  std::map<std::string, Entry, std::less<>> entries_;
  uint64_t requests_ = 0;
};

}  // namespace warpsight::processes

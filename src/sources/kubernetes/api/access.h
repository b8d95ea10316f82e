// Where the API server is, and with what credentials it is asked.
#pragma once

#include <functional>
#include <string>

#include "core/result.h"
#include "net/http_client.h"

namespace warpsight::kubernetes {

struct Access {
  std::string url;         // "https://10.96.0.1:443"
  std::string token_file;  // empty: none is shown
  std::string ca_file;     // empty: the system's authorities
};

// What a pod finds around it.
struct Surroundings {
  std::function<std::string(const char*)> variable;  // of the environment; empty: not set
  std::string account = "/var/run/secrets/kubernetes.io/serviceaccount";

  static Surroundings of_this_process();
};

// `wanted` with what is empty filled in from the surroundings. An error where there is no address.
Result<Access> complete(Access wanted, const Surroundings& surroundings);

// The token of a file that others replace now and then. It is in no error.
class TokenFile {
 public:
  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  // The header to send, none where there is no file. Reads the file where it changed.
  Result<HttpHeaders> headers();
  // The server did not take it: the file is read again, whatever it looks like.
  void refused() { identity_.clear(); }

 private:
  std::string path_;
  std::string identity_;  // of the file that was read
  std::string token_;
};

}  // namespace warpsight::kubernetes

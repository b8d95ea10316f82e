// Who may read the page.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight {

struct HttpCredentials {
  std::string bearer = {};    // empty: no token is accepted
  std::string username = {};  // with the password; both empty: no password is accepted
  std::string password = {};
};

// Keeps digests, not the secrets. With two kinds of credentials either will do.
class Authorization {
 public:
  Authorization() = default;
  explicit Authorization(const HttpCredentials& credentials);

  // False: everybody may.
  bool required() const { return !accepted_.empty(); }

  // Whether an Authorization header will do. How long it takes tells nothing of the secrets.
  bool allows(std::string_view header) const;

  // Calls fn(value) for each WWW-Authenticate header of a refusal.
  template <typename Fn>
  void for_each_challenge(Fn&& fn) const {
    for (const Accepted& accepted : accepted_) {
      fn(accepted.scheme == "basic" ? R"(Basic realm="warpsight", charset="UTF-8")"
                                    : R"(Bearer realm="warpsight")");
    }
  }

 private:
  using Digest = std::array<uint8_t, 32>;
  struct Accepted {
    std::string_view scheme;  // in lower case
    Digest digest;            // of what follows the scheme
  };

  void accept(std::string_view scheme, std::string_view secret);

  std::vector<Accepted> accepted_;
};

}  // namespace warpsight

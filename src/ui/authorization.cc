#include "ui/authorization.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>

#include "net/base64.h"

namespace warpsight {
namespace {

constexpr std::string_view kBlanks = " \t";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

Authorization::Authorization(const HttpCredentials& credentials) {
  if (!credentials.bearer.empty()) accept("bearer", credentials.bearer);
  if (!credentials.password.empty()) {
    accept("basic", base64_encode(credentials.username + ":" + credentials.password));
  }
}

void Authorization::accept(std::string_view scheme, std::string_view secret) {
  Accepted& accepted = accepted_.emplace_back(Accepted{scheme, {}});
  SHA256(bytes(secret), secret.size(), accepted.digest.data());
}

bool Authorization::allows(std::string_view header) const {
  const size_t end = std::min(header.find_first_of(kBlanks), header.size());
  const std::string_view scheme = header.substr(0, end);
  std::string_view secret = header.substr(end);
  secret.remove_prefix(std::min(secret.find_first_not_of(kBlanks), secret.size()));

  // Digests have one length, whatever the secret's.
  Digest said;
  SHA256(bytes(secret), secret.size(), said.data());
  bool allowed = accepted_.empty();
  for (const Accepted& accepted : accepted_) {
    const bool same = CRYPTO_memcmp(said.data(), accepted.digest.data(), said.size()) == 0;
    allowed |= same && std::ranges::equal(scheme, accepted.scheme, {}, lower);
  }
  return allowed;
}

}  // namespace warpsight

#include "net/tls_error.h"

#include <openssl/err.h>

#include <algorithm>
#include <array>

namespace warpsight {
namespace {

struct Advice {
  std::string_view words;
  std::string_view hint;
};

// The first that occurs in the words wins.
constexpr std::array kAdvice = {
    Advice{"expired", "renew the peer's certificate, or set this machine's clock"},
    Advice{"not yet valid", "set this machine's clock, or see the peer's certificate"},
    Advice{"mismatch", "set tls.server_name to a name that the peer's certificate has"},
    Advice{"does not match", "set tls.server_name to a name that the peer's certificate has"},
    Advice{"no alternative certificate subject name",
           "set tls.server_name to a name that the peer's certificate has"},
    Advice{"wrong version number", "does the peer speak TLS on this port?"},
    Advice{"unexpected eof", "does the peer speak TLS on this port?"},
    Advice{"no application protocol", "is this a gRPC port? OTLP/HTTP is usually 4318"},
    Advice{"protocol version", "the peer must speak TLS 1.2 or later"},
    Advice{"unsupported protocol", "the peer must speak TLS 1.2 or later"},
    Advice{"alert",
           "the peer wants our certificate, or does not trust it: set tls.certificate and "
           "tls.key"},
    Advice{"self-signed", "set tls.ca to the authority that signed the peer's certificate"},
    Advice{"self signed", "set tls.ca to the authority that signed the peer's certificate"},
    Advice{"issuer", "set tls.ca to the authority that signed the peer's certificate"},
};

}  // namespace

std::string_view tls_hint(std::string_view words) {
  const auto found = std::ranges::find_if(kAdvice, [&](const Advice& advice) {
    return words.find(advice.words) != std::string_view::npos;
  });
  return found != kAdvice.end() ? found->hint : "see tls.ca and tls.server_name";
}

std::string take_tls_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return {};
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "error " + std::to_string(code);
}

}  // namespace warpsight

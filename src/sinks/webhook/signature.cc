#include "sinks/webhook/signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <climits>
#include <span>

namespace warpsight {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

void append_hex(std::string& out, std::span<const unsigned char> bytes) {
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 0xf];
  }
}

}  // namespace

std::string webhook_signature(std::string_view secret, int64_t timestamp, std::string_view body) {
  std::string text = std::to_string(timestamp);
  text += '.';
  text += body;
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  std::string out = "sha256=";
  append_hex(out, {digest, size});
  return out;
}

// FNV-1a.
std::string delivery_id(std::string_view body) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : body) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  std::string out;
  for (int shift = CHAR_BIT * 8 - 4; shift >= 0; shift -= 4) out += kDigits[(hash >> shift) & 0xf];
  return out;
}

}  // namespace warpsight

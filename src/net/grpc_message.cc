#include "net/grpc_message.h"

#include <fmt/format.h>

#include <cstdint>

#include "net/foreign_text.h"
#include "wire/compression.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr size_t kPrefix = 5;

tl::unexpected<TransportFailure> broken(std::string_view why) {
  return fail(Kind::protocol, fmt::format("the gRPC answer cannot be read: {}", why));
}

TransportResult<std::string> expand(std::string_view message, std::string_view encoding,
                                    size_t limit) {
  for (const Compression known : {Compression::none, Compression::gzip, Compression::zstd}) {
    if (encoding != wire_name(known)) continue;
    auto expanded = decompress(known, message, limit);
    if (!expanded) return broken(expanded.error().message);
    return std::move(*expanded);
  }
  return broken(fmt::format("it is compressed as \"{}\"", printable_beginning(encoding, 40)));
}

}  // namespace

void frame_grpc_message(std::string_view message, bool compressed, std::string& out) {
  const auto size = static_cast<uint32_t>(message.size());
  out.assign(1, compressed ? '\1' : '\0');
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(size >> shift & 0xff);
  out += message;
}

TransportResult<std::string> unframe_grpc_message(std::string_view body, std::string_view encoding,
                                                  size_t limit) {
  if (body.empty()) return std::string();
  if (body.size() < kPrefix) return broken("it is cut short");
  uint32_t size = 0;
  for (const char c : body.substr(1, 4)) size = size << 8 | static_cast<unsigned char>(c);
  const std::string_view message = body.substr(kPrefix);
  if (message.size() < size) return broken("it is cut short");
  if (message.size() > size) return broken("it has more than one message");
  if (body.front() == '\0') return std::string(message);
  return expand(message, encoding, limit);
}

}  // namespace warpsight

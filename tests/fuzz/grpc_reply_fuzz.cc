// What a gRPC peer answers is foreign: its message, its status, its percent and base64 escapes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/base64.h"
#include "net/foreign_text.h"
#include "net/grpc_message.h"
#include "runtime/delivery.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr size_t kLimit = 4096;

  if (percent_decode(bytes).size() > bytes.size()) std::abort();
  if (const auto decoded = base64_decode(bytes)) {
    const std::string again = base64_encode(*decoded);
    if (!std::string_view(again).starts_with(bytes.substr(0, bytes.find('=')))) std::abort();
  }
  for (const std::string_view encoding : {"identity", "gzip", "zstd", "snappy"}) {
    const auto message = unframe_grpc_message(bytes, encoding, kLimit);
    if (message && message->size() > std::max(kLimit, bytes.size())) std::abort();
  }
  const GrpcReply reply{
      .status = 8, .message = std::string(bytes), .details = std::string(bytes), .body = {}};
  const Delivery delivery = delivery_of(reply);
  if (delivery.retry_after && *delivery.retry_after > std::chrono::days{1}) std::abort();
  if (delivery.words.find('\n') != std::string::npos) std::abort();
  return 0;
}

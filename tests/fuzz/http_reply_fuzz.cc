// The body and headers that an HTTP peer answers with.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/http_header.h"
#include "net/proxy.h"
#include "runtime/delivery.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Time now{std::chrono::seconds{1'700'000'000}};
  const auto wait = parse_retry_after(text, now);
  if (wait && (*wait < Duration::zero() || *wait > std::chrono::days{1})) std::abort();

  for (const char* type : {"text/plain", "application/x-protobuf"}) {
    const HttpReply reply{
        .status = 308,
        .body = text,
        .headers = {{"content-type", type}, {"location", text}, {"retry-after", text}}};
    const Delivery delivery = delivery_of(reply, RetryRule::otlp, now);
    if (delivery.words.size() > 4096 || delivery.words.find('\n') != std::string::npos) {
      std::abort();
    }
  }
  (void)parse_proxy(text);
  return 0;
}

// A peer's answer: whatever the bytes, a count and words no longer than the body come of them, or
// nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/otlp/response.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight::otlp;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const auto& response : {decode_response(body), decode_json_response(body)}) {
    if (!response) continue;
    if (response->rejected > INT64_MAX || response->words.size() > size) std::abort();
  }
  return 0;
}

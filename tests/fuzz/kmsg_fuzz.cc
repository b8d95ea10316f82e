// Kernel log records: whatever the bytes, what is found is printable, bounded and well-formed.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sources/kmsg/line.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; });
}

void check(std::string_view text) {
  const auto error = warpsight::kmsg::parse_gpu_error(text);
  if (!error) return;
  require(!error->address.empty());
  require(warpsight::kmsg::normalise_address(error->address) == error->address);
  require(error->message.size() <= 512);
  require(error->pid.find_first_not_of("0123456789") == std::string_view::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  std::string text;
  const auto record = warpsight::kmsg::parse_record(bytes);
  if (record) require(record->text.find('\n') == std::string_view::npos);
  warpsight::kmsg::unescape(record ? record->text : bytes, text);
  require(is_plain(text));
  check(text);
  return 0;
}

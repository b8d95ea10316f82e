// Three headers of whoever reaches the port, a line each: what passes names the host that was
// asked.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ui/origin_check.h"
#include "ui/page_files.h"

namespace {

std::string_view next_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)names_tag(text, "\"00\"");
  RequestOrigin request;
  request.origin = next_line(text);
  request.fetch_site = next_line(text);
  request.host = next_line(text);
  if (is_own_origin(request) && !request.origin.empty() && request.host.empty()) std::abort();
  request.tls = true;
  const bool secure = is_own_origin(request);
  request.tls = false;
  if (secure && !is_own_origin(request)) std::abort();
  return 0;
}

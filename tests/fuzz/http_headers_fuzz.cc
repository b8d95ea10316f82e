// Headers come from whoever reaches the port.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ui/accept.h"
#include "ui/host_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  const std::string names[] = {"node1"};
  (void)negotiate_page(header);
  (void)accepts_gzip(header);
  (void)(is_host(header) && names_this_machine(header, names));
  return 0;
}

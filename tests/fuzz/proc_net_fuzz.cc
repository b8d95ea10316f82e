// Lines of /proc/net/tcp and tcp6: what is taken is an address that can be connected to.
#include <arpa/inet.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sources/engines/discovery/listeners.h"
#include "sources/sysfs/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const auto socket = warpsight::engines::parse_listening(warpsight::next_line(text));
    if (!socket) continue;
    in6_addr address{};
    const bool valid = inet_pton(AF_INET, socket->address.c_str(), &address) == 1 ||
                       inet_pton(AF_INET6, socket->address.c_str(), &address) == 1;
    if (!valid || socket->address == "0.0.0.0" || socket->address == "::") std::abort();
    if (socket->port == 0 || socket->inode == 0) std::abort();
  }
  return 0;
}

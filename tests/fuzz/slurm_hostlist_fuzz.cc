// Slurm's lists of names: "NAME\nLIST". A name is found exactly where expanding the list puts it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sources/slurm/hostlist.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kLimit = 2000;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t cut = std::min(bytes.find('\n'), bytes.size());
  const std::string_view name = bytes.substr(0, cut);
  const std::string_view list = bytes.substr(std::min(cut + 1, bytes.size()));
  const auto found = warpsight::slurm::position_in_hostlist(list, name);
  const auto names = warpsight::slurm::expand_hostlist(list, kLimit);
  if (!names) return 0;
  require(names->size() <= kLimit);
  const auto place = std::ranges::find(*names, name);
  if (!found) {
    require(name.empty() || name.size() > 1024 || place == names->end());
  } else {
    require(*found < names->size() && (*names)[*found] == name);
  }
  return 0;
}

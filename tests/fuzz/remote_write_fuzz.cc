// Requests are read back from disk: whatever the bytes are, reading them ends, and what was read
// can be cut and told in either version.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "wire/remote_write/request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  RemoteWriteRequest request;
  const bool whole = request.read(bytes).has_value();
  std::vector<uint32_t> all(request.series());
  if (!whole && !all.empty()) std::abort();
  std::iota(all.begin(), all.end(), 0U);
  std::string v1;
  request.write_v1(all, true, v1);
  std::string v2;
  request.write_v2(all, v2);
  if (!whole) return 0;

  RemoteWriteRequest again;
  if (!again.read(v2) || again.series() != request.series()) std::abort();
  if (again.points(all) != request.points(all)) std::abort();
  std::string same;
  again.write_v1(all, true, same);
  if (same != v1) std::abort();
  return 0;
}

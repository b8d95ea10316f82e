// Chunks of the history found on disk may be anything: what is decoded is within bounds, and what
// was decoded is encoded and decoded again to the same values.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "history/chunk.h"
#include "history/coarse_chunk.h"

namespace {

constexpr size_t kFrames = 360;

void check_chunk(std::string_view bytes) {
  std::vector<double> values;
  if (!warpsight::decode_chunk(bytes, kFrames, values)) {
    if (!values.empty()) std::abort();
    return;
  }
  if (values.size() > kFrames) std::abort();
  warpsight::ChunkEncoder encoder(warpsight::Precision::exact);
  for (size_t i = 0; i < values.size(); ++i) encoder.append(i, values[i]);
  std::string again;
  encoder.write_to(again);
  std::vector<double> same;
  if (!warpsight::decode_chunk(again, kFrames, same)) std::abort();
  same.resize(values.size(), NAN);  // absent ones at the end are not told
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) != std::isnan(same[i])) std::abort();
    if (!std::isnan(values[i]) && values[i] != same[i]) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_chunk(bytes);
  std::vector<warpsight::StepSum> bins;
  if (warpsight::decode_coarse(bytes, kFrames, bins) && bins.size() > kFrames) std::abort();
  return 0;
}

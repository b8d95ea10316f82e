// Records of flushed frames, of times and of attributes found on disk may be anything.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "history/block.h"
#include "history/identity.h"
#include "history/packing.h"
#include "wire/zstd.h"

namespace {

void check_batch(std::string_view bytes) {
  warpsight::FrameBatch batch;
  if (!warpsight::decode_batch(bytes, batch)) return;
  std::vector<double> values;
  for (const auto& column : batch.columns) {
    if (warpsight::decode_chunk(column.chunk, batch.times.size(), values) &&
        values.size() > batch.times.size()) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_batch(bytes);
  // Past the compression, which few inputs survive.
  std::string packed;
  warpsight::ZstdEncoder().encode(bytes, packed);
  check_batch(packed);

  warpsight::Unpacker in(bytes);
  std::vector<int64_t> times;
  if (warpsight::unpack_times(in, warpsight::kMaxFrames, times)) {
    int64_t last = 0;
    for (const int64_t time : times) {
      if (time <= last) std::abort();
      last = time;
    }
    std::string again;
    warpsight::pack_times(again, times);
    warpsight::Unpacker second(again);
    std::vector<int64_t> same;
    if (!warpsight::unpack_times(second, warpsight::kMaxFrames, same) || same != times) {
      std::abort();
    }
  }
  const auto attributes = warpsight::unpack_attributes(bytes);
  if (!attributes.empty() &&
      warpsight::unpack_attributes(warpsight::pack_attributes(attributes)) != attributes) {
    std::abort();
  }
  return 0;
}

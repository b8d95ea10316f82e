// Compressed bytes from a peer never yield more than the limit, and what we compress comes back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/compression.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr size_t kLimit = 100'000;
  for (const Compression kind : {Compression::gzip, Compression::zstd, Compression::snappy}) {
    const auto out = decompress(kind, bytes, kLimit);
    if (out && out->size() > kLimit) std::abort();
    static Compressor gzip(Compression::gzip);
    static Compressor zstd(Compression::zstd);
    static Compressor snappy(Compression::snappy);
    Compressor& compressor = kind == Compression::gzip   ? gzip
                             : kind == Compression::zstd ? zstd
                                                         : snappy;
    const auto packed = compressor.encode(bytes);
    if (!packed || decompress(kind, *packed, size) != bytes) std::abort();
  }
  return 0;
}

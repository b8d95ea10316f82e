#include "wire/snappy.h"

#include <snappy-c.h>

namespace warpsight {
namespace {

// The densest element: a copy of 64 bytes in 3.
constexpr size_t kLargestRatio = 22;

}  // namespace

bool snappy_encode(std::string_view body, std::string& out) {
  size_t size = snappy_max_compressed_length(body.size());
  out.resize(size);
  const bool done = snappy_compress(body.data(), body.size(), out.data(), &size) == SNAPPY_OK;
  out.resize(done ? size : 0);
  return done;
}

Result<std::string> snappy_decode(std::string_view bytes, size_t limit) {
  size_t size = 0;
  if (snappy_uncompressed_length(bytes.data(), bytes.size(), &size) != SNAPPY_OK ||
      size / kLargestRatio > bytes.size()) {
    return fail("the snappy data is broken");
  }
  if (size > limit) return fail("the decompressed data is larger than allowed");
  std::string out(size, '\0');
  if (snappy_uncompress(bytes.data(), bytes.size(), out.data(), &size) != SNAPPY_OK) {
    return fail("the snappy data is broken");
  }
  return out;
}

}  // namespace warpsight

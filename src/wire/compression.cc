#include "wire/compression.h"

#include <utility>

#include "wire/gzip.h"
#include "wire/snappy.h"
#include "wire/zstd.h"

namespace warpsight {

std::string_view wire_name(Compression compression) {
  switch (compression) {
    case Compression::none: return "identity";
    case Compression::gzip: return "gzip";
    case Compression::zstd: return "zstd";
    case Compression::snappy: return "snappy";
  }
  return "identity";
}

// Each encoder makes its own state with its first body, so the unused ones cost nothing.
struct Compressor::State {
  GzipEncoder gzip;
  ZstdEncoder zstd;
  std::string out;
};

Compressor::Compressor(Compression compression)
    : compression_(compression), state_(std::make_unique<State>()) {}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

Result<std::string_view> Compressor::encode(std::string_view body) {
  bool done = false;
  switch (compression_) {
    case Compression::none: return body;
    case Compression::gzip: done = state_->gzip.encode(body, state_->out); break;
    case Compression::zstd: done = state_->zstd.encode(body, state_->out); break;
    case Compression::snappy: done = snappy_encode(body, state_->out); break;
  }
  if (!done) {
    return fail("cannot compress: out of memory", "give the agent more memory");
  }
  return std::string_view(state_->out);
}

Result<std::string> decompress(Compression compression, std::string_view bytes, size_t limit) {
  switch (compression) {
    case Compression::none: break;
    case Compression::gzip: return gzip_decode(bytes, limit);
    case Compression::zstd: return zstd_decode(bytes, limit);
    case Compression::snappy: return snappy_decode(bytes, limit);
  }
  if (bytes.size() > limit) return fail("the data is larger than allowed");
  return std::string(bytes);
}

}  // namespace warpsight

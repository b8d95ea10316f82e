// The compressions that peers take, behind one face.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

namespace warpsight {

enum class Compression : uint8_t {
  none,
  gzip,
  zstd,
  snappy,  // the raw block format, as Prometheus remote write has it
};

// As Content-Encoding and grpc-encoding spell it: "gzip", and "identity" for none.
std::string_view wire_name(Compression compression);

// One encoder for many bodies: its state and its buffer are kept.
class Compressor {
 public:
  explicit Compressor(Compression compression);
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  Compression compression() const { return compression_; }

  // Valid until the next call, or with no compression as long as `body`. Fails only for lack of
  // memory.
  Result<std::string_view> encode(std::string_view body);

 private:
  struct State;

  Compression compression_;
  std::unique_ptr<State> state_;
};

// What was compressed. Stops with an error at `limit` bytes, however small the input.
Result<std::string> decompress(Compression compression, std::string_view bytes, size_t limit);

}  // namespace warpsight

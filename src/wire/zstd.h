// zstd with one context for all bodies.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

struct ZSTD_CCtx_s;

namespace warpsight {

class ZstdEncoder {
 public:
  // Replaces `out`, whose memory is kept. False when there is no memory; `out` is empty then.
  bool encode(std::string_view body, std::string& out);

 private:
  struct Freer {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Freer> context_;  // made by the first body
};

// Of one or more frames, to the last byte. Stops with an error at `limit` bytes.
Result<std::string> zstd_decode(std::string_view bytes, size_t limit);

}  // namespace warpsight

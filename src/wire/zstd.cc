#include "wire/zstd.h"

#include <zstd.h>

#include <algorithm>

namespace warpsight {
namespace {

constexpr int kLevel = 1;
constexpr int kLargestWindowLog = 23;  // 8 MiB, which every decoder is advised to take
constexpr size_t kFirstRoom = size_t{16} * 1024;

struct DecoderFreer {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

void ZstdEncoder::Freer::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

bool ZstdEncoder::encode(std::string_view body, std::string& out) {
  out.clear();
  if (!context_) context_.reset(ZSTD_createCCtx());
  if (!context_) return false;
  out.resize(ZSTD_compressBound(body.size()));
  const size_t size =
      ZSTD_compressCCtx(context_.get(), out.data(), out.size(), body.data(), body.size(), kLevel);
  const bool failed = ZSTD_isError(size) != 0;
  out.resize(failed ? 0 : size);
  return !failed;
}

Result<std::string> zstd_decode(std::string_view bytes, size_t limit) {
  const std::unique_ptr<ZSTD_DCtx, DecoderFreer> context(ZSTD_createDCtx());
  if (!context) return fail("cannot decompress: out of memory");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string out;
  ZSTD_outBuffer filled{nullptr, 0, 0};
  for (;;) {
    if (filled.pos == filled.size) {
      // One byte beyond the limit tells what just fits from what does not.
      out.resize(std::min(limit + 1, std::max(kFirstRoom, out.size() * 2)));
      filled.dst = out.data();
      filled.size = out.size();
    }
    const size_t pending = ZSTD_decompressStream(context.get(), &filled, &in);
    if (ZSTD_isError(pending) != 0) {
      return fail(std::string("the zstd data is broken: ") + ZSTD_getErrorName(pending));
    }
    if (filled.pos > limit) return fail("the decompressed data is larger than allowed");
    if (in.pos < in.size) continue;
    if (pending == 0) break;  // a frame has just ended
    if (filled.pos < filled.size) return fail("the zstd data ends too soon");
  }
  out.resize(filled.pos);
  return out;
}

}  // namespace warpsight

#include "wire/gzip.h"

#include <zlib.h>

namespace warpsight {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header
constexpr int kMemoryLevel = 8;

}  // namespace

struct GzipEncoder::State {
  z_stream stream{};
  bool usable = false;

  // Level 1: a page of labels shrinks 16-fold at it, and more effort buys next to nothing.
  State()
      : usable(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                            Z_DEFAULT_STRATEGY) == Z_OK) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (usable) deflateEnd(&stream);
  }
};

GzipEncoder::GzipEncoder() = default;
GzipEncoder::~GzipEncoder() = default;

bool GzipEncoder::encode(std::string_view body, std::string& out) {
  out.clear();
  if (!state_) state_ = std::make_unique<State>();
  if (!state_->usable || deflateReset(&state_->stream) != Z_OK) return false;
  z_stream& stream = state_->stream;
  out.resize(deflateBound(&stream, static_cast<uLong>(body.size())));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
    out.clear();
    return false;
  }
  out.resize(out.size() - stream.avail_out);
  return true;
}

}  // namespace warpsight

#include "wire/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace warpsight {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header
constexpr int kMemoryLevel = 8;
constexpr size_t kFirstRoom = size_t{16} * 1024;

struct Inflater {
  z_stream stream{};
  bool usable;

  Inflater() : usable(inflateInit2(&stream, kGzipWindow) == Z_OK) {}
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (usable) inflateEnd(&stream);
  }
};

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

Result<std::string> gzip_decode(std::string_view bytes, size_t limit) {
  Inflater inflater;
  if (!inflater.usable) return fail("cannot decompress: out of memory");
  if (bytes.size() > std::numeric_limits<uInt>::max()) return fail("the gzip data is too large");
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  size_t size = 0;
  for (;;) {
    if (size == out.size()) {
      // One byte beyond the limit tells what just fits from what does not.
      out.resize(std::min(limit + 1, std::max(kFirstRoom, out.size() * 2)));
    }
    const size_t room = std::min<size_t>(out.size() - size, std::numeric_limits<uInt>::max());
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    size += room - stream.avail_out;
    if (size > limit) return fail("the decompressed data is larger than allowed");
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0) break;
      if (inflateReset(&stream) != Z_OK) return fail("the gzip data is broken");
    } else if (status != Z_OK) {
      return fail(stream.avail_in == 0 ? "the gzip data ends too soon" : "the gzip data is broken");
    }
  }
  out.resize(size);
  return out;
}

}  // namespace warpsight

// gzip with one deflate state for all bodies.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

namespace warpsight {

class GzipEncoder {
 public:
  GzipEncoder();
  ~GzipEncoder();
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  // Replaces `out`, whose memory is kept. False when zlib has no memory; `out` is empty then.
  bool encode(std::string_view body, std::string& out);

 private:
  struct State;
  // Made by the first body: a quarter of a megabyte that a node nobody compresses for never pays.
  std::unique_ptr<State> state_;
};

// Of one or more gzip members, to the last byte. Stops with an error at `limit` bytes.
Result<std::string> gzip_decode(std::string_view bytes, size_t limit);

}  // namespace warpsight

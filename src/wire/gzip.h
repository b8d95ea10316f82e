// gzip with one deflate state for all bodies.
#pragma once

#include <memory>
#include <string>
#include <string_view>

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

}  // namespace warpsight

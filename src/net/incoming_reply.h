// The answer to an HTTP request while it comes in.
#pragma once

#include "net/http_client.h"

namespace warpsight {

class IncomingReply {
 public:
  // `limit` is of the body's bytes, `memory` what the body is put into.
  void begin(size_t limit, std::string memory);

  // How many of the bytes were taken: all, or none once the answer is too large.
  size_t take_body(std::string_view bytes);
  size_t take_header(std::string_view line);

  bool too_large() const { return too_large_; }
  // Whether all headers came.
  bool head_whole() const { return head_whole_; }
  // The body as far as it came since the last call; the limit is of what is not taken so.
  std::string drain();
  HttpReply finish(int status);

 private:
  HttpReply reply_;
  size_t limit_ = 0;
  size_t header_bytes_ = 0;
  bool too_large_ = false;
  bool head_whole_ = false;
};

}  // namespace warpsight

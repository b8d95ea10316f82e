// Puts responses on the wire.
#pragma once

#include <cstddef>
#include <string>

#include "ui/http_message.h"
#include "wire/gzip.h"

struct evhttp_request;

namespace warpsight {

// gzips bodies worth it, with memory that is kept.
class BodyPacker {
 public:
  explicit BodyPacker(size_t above) : above_(above) {}
  void pack(HttpResponse& response);

 private:
  size_t above_;
  GzipEncoder gzip_;
  std::string spare_;
};

bool accepts_packed(const HttpRequest& request);

const char* reason_of(int status);

// The response's and those that every reply has.
void add_headers(evhttp_request* request, const HttpResponse& response);

// The request is evhttp's again afterwards. `last`: the connection ends with it.
void send_reply(evhttp_request* request, const HttpResponse& response, bool last);

}  // namespace warpsight

#include "ui/http_reply.h"

#include <event2/buffer.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>

#include <algorithm>

#include "ui/accept.h"

namespace warpsight {
namespace {

using Header = std::pair<std::string, std::string>;

constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
     "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
    {"Vary", "Accept, Accept-Encoding"},
    {"Cache-Control", "no-store"},
};

bool has_body(int status) { return status != 204 && status != 304; }

}  // namespace

void BodyPacker::pack(HttpResponse& response) {
  if (response.packed || response.body.size() <= above_) return;
  if (!gzip_.encode(response.body, spare_)) return;
  response.body.swap(spare_);
  response.packed = true;
}

bool accepts_packed(const HttpRequest& request) {
  return accepts_gzip(request.header("Accept-Encoding"));
}

const char* reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "";
  }
}

void add_headers(evhttp_request* request, const HttpResponse& response) {
  evkeyvalq* headers = evhttp_request_get_output_headers(request);
  if (has_body(response.status)) {
    evhttp_add_header(headers, "Content-Type", std::string(response.content_type).c_str());
    if (response.packed) evhttp_add_header(headers, "Content-Encoding", "gzip");
  }
  for (const auto& [name, value] : kHeaders) {
    const bool replaced =
        std::ranges::find(response.headers, name, &Header::first) != response.headers.end();
    if (!replaced) evhttp_add_header(headers, name, value);
  }
  for (const auto& [name, value] : response.headers) {
    evhttp_add_header(headers, name.c_str(), value.c_str());
  }
}

void send_reply(evhttp_request* request, const HttpResponse& response, bool last) {
  evkeyvalq* headers = evhttp_request_get_output_headers(request);
  add_headers(request, response);
  if (last) evhttp_add_header(headers, "Connection", "close");
  if (has_body(response.status)) {
    evhttp_add_header(headers, "Content-Length", std::to_string(response.body.size()).c_str());
    if (evhttp_request_get_command(request) != EVHTTP_REQ_HEAD) {
      evbuffer_add(evhttp_request_get_output_buffer(request), response.body.data(),
                   response.body.size());
    }
  }
  evhttp_send_reply(request, response.status, reason_of(response.status), nullptr);
}

}  // namespace warpsight

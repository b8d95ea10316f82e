#include "ui/http_message.h"

#include <event2/buffer.h>
#include <event2/http.h>

#include "ui/query_parameters.h"

namespace warpsight {
namespace {

std::string_view text_or_empty(const char* text) {
  return text == nullptr ? std::string_view{} : std::string_view(text);
}

}  // namespace

std::string_view HttpRequest::path() const {
  return text_or_empty(evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request_)));
}

std::string_view HttpRequest::query() const {
  return text_or_empty(evhttp_uri_get_query(evhttp_request_get_evhttp_uri(request_)));
}

std::vector<std::pair<std::string, std::string>> HttpRequest::parameters() const {
  return parse_query(query()).value_or(QueryParameters{});
}

std::string_view HttpRequest::method() const {
  switch (evhttp_request_get_command(request_)) {
    case EVHTTP_REQ_GET:
    case EVHTTP_REQ_HEAD: return "GET";
    case EVHTTP_REQ_POST: return "POST";
    case EVHTTP_REQ_DELETE: return "DELETE";
    case EVHTTP_REQ_PUT: return "PUT";
    case EVHTTP_REQ_PATCH: return "PATCH";
    case EVHTTP_REQ_OPTIONS: return "OPTIONS";
    case EVHTTP_REQ_TRACE: return "TRACE";
    case EVHTTP_REQ_CONNECT: return "CONNECT";
    default: return "";
  }
}

std::string HttpRequest::body() const {
  evbuffer* input = evhttp_request_get_input_buffer(request_);
  std::string bytes(evbuffer_get_length(input), '\0');
  evbuffer_copyout(input, bytes.data(), bytes.size());
  return bytes;
}

std::string_view HttpRequest::header(const char* name) const {
  return text_or_empty(evhttp_find_header(evhttp_request_get_input_headers(request_), name));
}

}  // namespace warpsight

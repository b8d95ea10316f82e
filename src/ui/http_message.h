// What is asked of the HTTP server and what it answers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct evhttp_request;

namespace warpsight {

// Valid inside the handler.
class HttpRequest {
 public:
  explicit HttpRequest(evhttp_request* request) : request_(request) {}
  std::string_view path() const;
  std::string_view query() const;
  // The query's, decoded; see query_parameters.h for its bounds. What is beyond them, or broken,
  // reaches no handler.
  std::vector<std::pair<std::string, std::string>> parameters() const;
  std::string_view method() const;  // "GET" also for HEAD
  std::string body() const;         // of a POST; within the limit
  // Empty when there is none.
  std::string_view header(const char* name) const;

 private:
  evhttp_request* request_;
};

struct HttpResponse {
  int status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";
  std::string& body;  // empty at first; its memory is kept from request to request
  // Beside those that every reply has, or instead of them.
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool packed = false;  // the body is gzip already, and the client accepts that
};

// Fills a response on the worker's thread; knows nothing of the request but what it was made with.
using HttpJob = std::function<void(HttpResponse&)>;

}  // namespace warpsight

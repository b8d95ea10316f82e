#include "net/http_target.h"

#include <fmt/format.h>

#include <memory>

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

class ParsedUrl {
 public:
  explicit ParsedUrl(const CurlLibrary& curl) : curl_(curl), handle_(curl.url()) {}
  ~ParsedUrl() { curl_.url_cleanup(handle_); }
  ParsedUrl(const ParsedUrl&) = delete;
  ParsedUrl& operator=(const ParsedUrl&) = delete;

  bool set(CURLUPart part, const std::string& text) {
    return curl_.url_set(handle_, part, text.c_str(), 0) == CURLUE_OK;
  }
  // Empty when there is none.
  std::string get(CURLUPart part) const {
    char* text = nullptr;
    if (curl_.url_get(handle_, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
    std::string copy(text);
    curl_.free(text);
    return copy;
  }

 private:
  const CurlLibrary& curl_;
  CURLU* handle_;
};

}  // namespace

TransportResult<HttpTarget> parse_target(const CurlLibrary& curl, const std::string& url,
                                         const std::string& server_name) {
  ParsedUrl parsed(curl);
  const bool valid = parsed.set(CURLUPART_URL, url);
  const std::string scheme = valid ? parsed.get(CURLUPART_SCHEME) : "";
  if (scheme != "http" && scheme != "https") {
    return fail(Kind::setup, "the address of the peer is not an http or https URL",
                "write it as https://host:port/path");
  }
  const std::string host = parsed.get(CURLUPART_HOST);
  const std::string port = parsed.get(CURLUPART_PORT);
  HttpTarget target{.url = url,
                    .connect_to = {},
                    .host = {},
                    .peer = fmt::format("{}://{}:{}", scheme, host, port)};
  if (scheme == "http" || server_name.empty()) return target;
  if (!parsed.set(CURLUPART_HOST, server_name)) {
    return fail(Kind::setup, "tls.server_name cannot be used", "write a plain host name");
  }
  target.url = parsed.get(CURLUPART_URL);
  target.connect_to = fmt::format("{}:{}:{}:{}", server_name, port, host, port);
  target.host = port == "443" ? host : fmt::format("{}:{}", host, port);
  return target;
}

}  // namespace warpsight

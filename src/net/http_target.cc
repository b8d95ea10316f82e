#include "net/http_target.h"

#include <fmt/format.h>

#include "platform/sockets.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr std::string_view kUnix = "unix:";

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

TransportResult<HttpTarget> parse_unix_target(const CurlLibrary& curl, std::string_view url) {
  const size_t colon = url.find(":/", kUnix.size());
  const auto address = parse_address(url.substr(0, colon));
  const bool is_file = address && address->path.starts_with('/');
  HttpTarget target;
  if (is_file && colon != std::string_view::npos) {
    target.socket = address->path;
    target.peer = to_string(*address);
    target.url = fmt::format("http://localhost{}", url.substr(colon + 1));
  }
  if (!ParsedUrl(curl).set(CURLUPART_URL, target.url)) {
    return fail(Kind::setup, "the address of the peer is not a unix socket and a path",
                "write it as unix:/path/of.socket:/path/of/page");
  }
  return target;
}

}  // namespace

TransportResult<HttpTarget> parse_target(const CurlLibrary& curl, const std::string& url,
                                         const std::string& server_name) {
  if (url.starts_with(kUnix)) return parse_unix_target(curl, url);
  ParsedUrl parsed(curl);
  const bool valid = parsed.set(CURLUPART_URL, url);
  const std::string scheme = valid ? parsed.get(CURLUPART_SCHEME) : "";
  if (scheme != "http" && scheme != "https") {
    return fail(Kind::setup, "the address of the peer is not an http or https URL",
                "write it as https://host:port/path or unix:/path/of.socket:/path/of/page");
  }
  const std::string host = parsed.get(CURLUPART_HOST);
  const std::string port = parsed.get(CURLUPART_PORT);
  HttpTarget target{.url = url,
                    .socket = {},
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

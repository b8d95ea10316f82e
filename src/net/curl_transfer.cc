#include "net/curl_transfer.h"

#include <fmt/format.h>

#include "net/curl_failure.h"
#include "net/foreign_text.h"
#include "net/http_header.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

size_t on_body(char* bytes, size_t size, size_t count, void* incoming) {
  return static_cast<IncomingReply*>(incoming)->take_body({bytes, size * count});
}

size_t on_header(char* bytes, size_t size, size_t count, void* incoming) {
  return static_cast<IncomingReply*>(incoming)->take_header({bytes, size * count});
}

}  // namespace

TransportResult<CurlSetup> CurlSetup::make(HttpClientSettings settings) {
  const auto curl = CurlLibrary::get();
  if (!curl) return tl::unexpected(curl.error());
  std::optional<Proxy> proxy;
  if (!settings.proxy.empty()) {
    auto parsed = parse_proxy(settings.proxy);
    if (!parsed) return fail(Kind::setup, parsed.error().message, parsed.error().hint);
    proxy = std::move(*parsed);
  }
  return CurlSetup{.curl = *curl, .settings = std::move(settings), .proxy = std::move(proxy)};
}

CurlTransfer::CurlTransfer(const CurlSetup& setup)
    : setup_(setup),
      curl_(*setup.curl),
      easy_(curl_.easy_init()),
      header_lines_(nullptr, ListFreer{&curl_}),
      connect_to_(nullptr, ListFreer{&curl_}) {}

CurlTransfer::~CurlTransfer() { curl_.easy_cleanup(easy_); }

TransportResult<> CurlTransfer::aim(const std::string& url, const HttpHeaders& headers,
                                    bool direct) {
  if (aimed_ && url == url_ && headers == headers_ && direct == direct_) return {};
  aimed_ = false;
  auto target = parse_target(curl_, url, setup_.settings.tls.server_name);
  if (!target) return tl::unexpected(target.error());
  target_ = std::move(*target);
  auto lines = header_lines(headers);
  if (!lines) return tl::unexpected(lines.error());

  curl_.easy_reset(easy_);  // before what it refers to goes
  header_lines_ = std::move(*lines);
  connect_to_.reset();
  if (!target_.connect_to.empty()) append(connect_to_, target_.connect_to);
  set_up_connection();
  set_up_tls();
  set_up_proxy(direct);
  set_up_target();
  direct_ = direct;
  url_ = url;
  headers_ = headers;
  aimed_ = true;
  return {};
}

void CurlTransfer::set_up_connection() {
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_ERRORBUFFER, words_.data());
  set(CURLOPT_TIMEOUT_MS,
      static_cast<long>(
          std::chrono::ceil<std::chrono::milliseconds>(setup_.settings.timeout).count()));
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_HTTP09_ALLOWED, 0L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_ACCEPT_ENCODING, "gzip");
  set(CURLOPT_USERAGENT, kUserAgent);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, &incoming_);
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, &incoming_);
#if LIBCURL_VERSION_NUM >= 0x075700
  set(CURLOPT_QUICK_EXIT, 1L);  // an interrupted look-up of a name is left to itself
#endif
}

void CurlTransfer::set_up_tls() {
  const TlsSettings& tls = setup_.settings.tls;
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_SSL_VERIFYPEER, tls.verify ? 1L : 0L);
  set(CURLOPT_SSL_VERIFYHOST, tls.verify ? 2L : 0L);
  if (!tls.ca.empty()) {
    set(CURLOPT_CAINFO, tls.ca);
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  if (!tls.certificate.empty()) {
    set(CURLOPT_SSLCERT, tls.certificate);
    set(CURLOPT_SSLKEY, tls.key);
    set(CURLOPT_KEYPASSWD, "");  // a key with a passphrase is an error, not a question
  }
}

// libcurl heeds none of it for a unix socket.
void CurlTransfer::set_up_proxy(bool direct) {
  const std::optional<Proxy>& proxy = setup_.proxy;
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (direct) set(CURLOPT_PROXY, "");
  if (direct || !proxy) return;
  set(CURLOPT_PROXY, "http://" + to_string(proxy->address));
  set(CURLOPT_NOPROXY, "");
  if (proxy->user.empty()) return;
  set(CURLOPT_PROXYUSERNAME, proxy->user);
  set(CURLOPT_PROXYPASSWORD, proxy->password);
}

void CurlTransfer::set_up_target() {
  set(CURLOPT_URL, target_.url);
  if (!target_.socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, target_.socket);
  set(CURLOPT_CONNECT_TO, connect_to_.get());
  set(CURLOPT_HTTPHEADER, header_lines_.get());
}

void CurlTransfer::append(List& list, const std::string& line) const {
  curl_slist* grown = curl_.slist_append(list.get(), line.c_str());
  if (!list) list.reset(grown);  // a list that there is keeps its first item
}

TransportResult<CurlTransfer::List> CurlTransfer::header_lines(const HttpHeaders& headers) const {
  List list(nullptr, ListFreer{&curl_});
  append(list, "Expect:");
  bool host_given = false;
  for (const auto& [name, value] : headers) {
    if (!is_header_name(name) || !is_header_value(value)) {
      return fail(Kind::setup,
                  fmt::format("the header \"{}\" cannot be sent", printable_beginning(name, 60)),
                  "see headers: in the config");
    }
    host_given = host_given || same_header_name(name, "host");
    // The semicolon is libcurl's way to write a header without a value.
    append(list, value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
  }
  if (!target_.host.empty() && !host_given) append(list, "Host: " + target_.host);
  return list;
}

void CurlTransfer::get(std::string memory) {
  incoming_.begin(setup_.settings.response_limit, std::move(memory));
  set(CURLOPT_HTTPGET, 1L);
}

void CurlTransfer::post(std::string_view body) {
  incoming_.begin(setup_.settings.response_limit, {});
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDS, body.data() != nullptr ? body.data() : "");
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
}

std::optional<int> CurlTransfer::status() const {
  constexpr long kFirstFinal = 200;
  long status = 0;
  curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  if (!incoming_.head_whole() || status < kFirstFinal) return std::nullopt;
  return static_cast<int>(status);
}

TransportResult<HttpReply> CurlTransfer::outcome(CURLcode code) {
  if (incoming_.too_large()) {
    return fail(Kind::too_large, fmt::format("the answer of {} is larger than allowed", peer()));
  }
  if (code != CURLE_OK) {
    CurlOutcome outcome{.code = code,
                        .words = words_[0] != '\0' ? words_.data() : curl_.easy_strerror(code),
                        .peer = peer(),
                        .timeout = setup_.settings.timeout};
    curl_.easy_getinfo(easy_, CURLINFO_HTTP_CONNECTCODE, &outcome.proxy_status);
    return tl::unexpected(failure_of(outcome));
  }
  long status = 0;
  curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  return incoming_.finish(static_cast<int>(status));
}

Duration CurlTransfer::took() const {
  curl_off_t microseconds = 0;
  curl_.easy_getinfo(easy_, CURLINFO_TOTAL_TIME_T, &microseconds);
  return std::chrono::microseconds{microseconds};
}

}  // namespace warpsight

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>

#include "core/version.h"
#include "net/curl_failure.h"
#include "net/curl_library.h"
#include "net/foreign_text.h"
#include "net/http_client.h"
#include "net/http_header.h"
#include "net/http_target.h"
#include "net/proxy.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr size_t kLargestHeaders = size_t{64} * 1024;
constexpr int kPollMs = 1000;

struct ListFreer {
  const CurlLibrary* curl;
  void operator()(curl_slist* list) const { curl->slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListFreer>;

void append(List& list, const std::string& line) {
  curl_slist* grown = list.get_deleter().curl->slist_append(list.get(), line.c_str());
  if (!list) list.reset(grown);  // a list that there is keeps its first item
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// An answer while it comes in.
struct Incoming {
  HttpReply reply;
  size_t limit;
  size_t header_bytes = 0;
  bool too_large = false;

  size_t take_body(std::string_view bytes) {
    too_large = too_large || bytes.size() > limit - reply.body.size();
    if (too_large) return 0;
    reply.body += bytes;
    return bytes.size();
  }

  size_t take_header(std::string_view line) {
    header_bytes += line.size();
    too_large = too_large || header_bytes > kLargestHeaders;
    if (too_large) return 0;
    if (line.starts_with("HTTP/")) {
      reply.headers.clear();  // those of an interim answer
    } else if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
      reply.headers.emplace_back(line.substr(0, colon), trim(line.substr(colon + 1)));
    }
    return line.size();
  }
};

size_t on_body(char* bytes, size_t size, size_t count, void* incoming) {
  return static_cast<Incoming*>(incoming)->take_body({bytes, size * count});
}

size_t on_header(char* bytes, size_t size, size_t count, void* incoming) {
  return static_cast<Incoming*>(incoming)->take_header({bytes, size * count});
}

class CurlHttpClient final : public HttpClient {
 public:
  CurlHttpClient(const CurlLibrary& curl, HttpClientSettings settings, std::optional<Proxy> proxy)
      : curl_(curl),
        settings_(std::move(settings)),
        proxy_(std::move(proxy)),
        multi_(curl.multi_init()),
        easy_(curl.easy_init()) {}
  ~CurlHttpClient() override {
    curl_.easy_cleanup(easy_);
    curl_.multi_cleanup(multi_);
  }
  CurlHttpClient(const CurlHttpClient&) = delete;
  CurlHttpClient& operator=(const CurlHttpClient&) = delete;

  bool usable() const { return multi_ != nullptr && easy_ != nullptr; }

  TransportResult<HttpReply> post(const std::string& url, const HttpHeaders& headers,
                                  std::string_view body) override {
    return request(url, headers, body);
  }
  TransportResult<HttpReply> get(const std::string& url, const HttpHeaders& headers) override {
    return request(url, headers, std::nullopt);
  }
  void interrupt() override {
    interrupted_ = true;
    curl_.multi_wakeup(multi_);
  }

 private:
  template <typename T>
  void set(CURLoption option, T value) {
    curl_.easy_setopt(easy_, option, value);
  }
  void set(CURLoption option, const std::string& value) { set(option, value.c_str()); }

  TransportResult<HttpReply> request(const std::string& url, const HttpHeaders& headers,
                                     std::optional<std::string_view> body);
  void set_up_connection();
  void set_up_tls();
  void set_up_proxy();
  TransportResult<List> header_list(const HttpHeaders& headers, const HttpTarget& target) const;
  // nullopt when interrupted.
  std::optional<CURLcode> transfer();

  const CurlLibrary& curl_;
  HttpClientSettings settings_;
  std::optional<Proxy> proxy_;
  CURLM* multi_;  // holds the connections
  CURL* easy_;    // set up anew for each request
  std::array<char, CURL_ERROR_SIZE> words_{};
  std::atomic<bool> interrupted_ = false;
};

void CurlHttpClient::set_up_connection() {
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_ERRORBUFFER, words_.data());
  set(CURLOPT_TIMEOUT_MS,
      static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(settings_.timeout).count()));
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_HTTP09_ALLOWED, 0L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_ACCEPT_ENCODING, "gzip");
  set(CURLOPT_USERAGENT, kUserAgent.c_str());
#if LIBCURL_VERSION_NUM >= 0x075700
  set(CURLOPT_QUICK_EXIT, 1L);  // an interrupted look-up of a name is left to itself
#endif
}

void CurlHttpClient::set_up_tls() {
  const TlsSettings& tls = settings_.tls;
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

void CurlHttpClient::set_up_proxy() {
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!proxy_) return;
  set(CURLOPT_PROXY, "http://" + to_string(proxy_->address));
  set(CURLOPT_NOPROXY, "");
  if (proxy_->user.empty()) return;
  set(CURLOPT_PROXYUSERNAME, proxy_->user);
  set(CURLOPT_PROXYPASSWORD, proxy_->password);
}

TransportResult<List> CurlHttpClient::header_list(const HttpHeaders& headers,
                                                  const HttpTarget& target) const {
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
  if (!target.host.empty() && !host_given) append(list, "Host: " + target.host);
  return list;
}

std::optional<CURLcode> CurlHttpClient::transfer() {
  if (curl_.multi_add_handle(multi_, easy_) != CURLM_OK) return CURLE_FAILED_INIT;
  std::optional<CURLcode> code = CURLE_FAILED_INIT;
  for (;;) {
    int running = 0;
    if (curl_.multi_perform(multi_, &running) != CURLM_OK) break;
    if (running == 0) {
      int left = 0;
      const CURLMsg* message = curl_.multi_info_read(multi_, &left);
      if (message != nullptr) code = message->data.result;
      break;
    }
    if (interrupted_) {
      code = std::nullopt;
      break;
    }
    if (curl_.multi_poll(multi_, nullptr, 0, kPollMs, nullptr) != CURLM_OK) break;
  }
  curl_.multi_remove_handle(multi_, easy_);
  return code;
}

TransportResult<HttpReply> CurlHttpClient::request(const std::string& url,
                                                   const HttpHeaders& headers,
                                                   std::optional<std::string_view> body) {
  const auto target = parse_target(curl_, url, settings_.tls.server_name);
  if (!target) return tl::unexpected(target.error());
  const auto stopped = [&] {
    return fail(Kind::interrupted, fmt::format("the request to {} was stopped", target->peer));
  };
  if (interrupted_) return stopped();
  const auto lines = header_list(headers, *target);
  if (!lines) return tl::unexpected(lines.error());
  List connect_to(nullptr, ListFreer{&curl_});
  if (!target->connect_to.empty()) append(connect_to, target->connect_to);

  Incoming incoming{.reply = {}, .limit = settings_.response_limit};
  words_.fill('\0');
  curl_.easy_reset(easy_);
  set_up_connection();
  set_up_tls();
  set_up_proxy();
  set(CURLOPT_URL, target->url);
  set(CURLOPT_CONNECT_TO, connect_to.get());
  set(CURLOPT_HTTPHEADER, lines->get());
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, &incoming);
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, &incoming);
  if (body) {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, body->data() != nullptr ? body->data() : "");
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->size()));
  }

  const auto code = transfer();
  if (!code) return stopped();
  if (incoming.too_large) {
    return fail(Kind::too_large,
                fmt::format("the answer of {} is larger than allowed", target->peer));
  }
  if (*code != CURLE_OK) {
    CurlOutcome outcome{.code = *code,
                        .words = words_[0] != '\0' ? words_.data() : curl_.easy_strerror(*code),
                        .peer = target->peer,
                        .timeout = settings_.timeout};
    curl_.easy_getinfo(easy_, CURLINFO_HTTP_CONNECTCODE, &outcome.proxy_status);
    return tl::unexpected(failure_of(outcome));
  }
  long status = 0;
  curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  incoming.reply.status = static_cast<int>(status);
  return std::move(incoming.reply);
}

}  // namespace

const std::string kUserAgent = std::string("warpsight/") + kVersion;

std::string_view HttpReply::header(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [&](const auto& header) { return same_header_name(header.first, name); });
  return found != headers.end() ? std::string_view(found->second) : std::string_view();
}

TransportResult<std::unique_ptr<HttpClient>> HttpClient::make(HttpClientSettings settings) {
  const auto curl = CurlLibrary::get();
  if (!curl) return tl::unexpected(curl.error());
  std::optional<Proxy> proxy;
  if (!settings.proxy.empty()) {
    auto parsed = parse_proxy(settings.proxy);
    if (!parsed) return fail(Kind::setup, parsed.error().message, parsed.error().hint);
    proxy = std::move(*parsed);
  }
  auto client = std::make_unique<CurlHttpClient>(**curl, std::move(settings), std::move(proxy));
  if (!client->usable()) return fail(Kind::setup, "cannot make an HTTP client: out of memory");
  return client;
}

}  // namespace warpsight

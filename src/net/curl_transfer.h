// HTTP exchanges over one of libcurl's easy handles; a CurlDriver makes them go on.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "net/curl_library.h"
#include "net/http_target.h"
#include "net/incoming_reply.h"
#include "net/proxy.h"

namespace warpsight {

// What is the same for all transfers of a client.
struct CurlSetup {
  const CurlLibrary* curl;
  HttpClientSettings settings;
  std::optional<Proxy> proxy;  // nullopt: as the environment says

  // Loads libcurl with the first one.
  static TransportResult<CurlSetup> make(HttpClientSettings settings);
};

class CurlTransfer {
 public:
  // `setup` must outlive it.
  explicit CurlTransfer(const CurlSetup& setup);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  CURL* handle() const { return easy_; }  // null for lack of memory

  // Whom the next exchanges ask, and with what headers. Costs next to nothing while neither
  // changes; after an error it must be called again.
  // With `direct` no proxy is used, whatever the settings and the environment say.
  TransportResult<> aim(const std::string& url, const HttpHeaders& headers, bool direct = false);
  // Of whom is asked, for people; empty before aim().
  const std::string& peer() const { return target_.peer; }

  // What the next exchange is. `memory` is used for the body of the answer, `body` must last until
  // the exchange is over.
  void get(std::string memory = {});
  void post(std::string_view body);

  // While an exchange goes on: its status, once all headers came, and the body as far as it came
  // since the last call.
  std::optional<int> status() const;
  std::string drain() { return incoming_.drain(); }

  // What came of an exchange that ended with this code, and how long it took.
  TransportResult<HttpReply> outcome(CURLcode code);
  Duration took() const;

 private:
  struct ListFreer {
    const CurlLibrary* curl;
    void operator()(curl_slist* list) const { curl->slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, ListFreer>;

  template <typename T>
  void set(CURLoption option, T value) {
    curl_.easy_setopt(easy_, option, value);
  }
  void set(CURLoption option, const std::string& value) { set(option, value.c_str()); }

  void append(List& list, const std::string& line) const;
  TransportResult<List> header_lines(const HttpHeaders& headers) const;
  void set_up_connection();
  void set_up_tls();
  void set_up_proxy(bool direct);
  void set_up_target();

  const CurlSetup& setup_;
  const CurlLibrary& curl_;
  CURL* easy_;
  bool aimed_ = false;
  bool direct_ = false;
  std::string url_;
  HttpHeaders headers_;
  HttpTarget target_;
  List header_lines_;
  List connect_to_;
  IncomingReply incoming_;
  std::array<char, CURL_ERROR_SIZE> words_{};
};

}  // namespace warpsight

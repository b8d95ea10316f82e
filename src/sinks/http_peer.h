// A peer that takes POST requests at one URL.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "net/http_client.h"
#include "runtime/options.h"
#include "runtime/peer_options.h"
#include "runtime/sink.h"

namespace warpsight {

// For OptionDef::check: http or https, a host, and no credentials, which have options of their own.
Result<> check_http_url(std::string_view url);

// For one thread, but for interrupt().
class HttpPeer {
 public:
  // `options` has kPeerOptions and `url`.
  HttpPeer(const Options& options, std::unique_ptr<HttpClient> client);
  // An error when there is no URL, or a file that is named cannot be used.
  static Result<std::unique_ptr<HttpPeer>> make(const Options& options);

  // An answer of whatever status, or what became of the message without one. A header that the
  // configuration names takes the place of ours.
  tl::expected<HttpReply, Delivery> post(const HttpHeaders& headers, std::string_view body);

  void interrupt() { client_->interrupt(); }

  // The URL without its query, which may hold a key.
  std::string name() const;

 private:
  std::string url_;
  PeerHeaders headers_;
  std::unique_ptr<HttpClient> client_;
};

}  // namespace warpsight

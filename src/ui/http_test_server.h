// A server on a loop of its own and clients beside it, for tests.
#pragma once

#include <event2/event.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ui/http_server.h"

namespace warpsight::test {

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() { std::signal(SIGPIPE, SIG_IGN); }
  ~HttpServerTest() override {
    server_.reset();
    event_base_loop(base_, EVLOOP_NONBLOCK);
    event_base_free(base_);
  }

  Result<> start(const SocketAddress& address, HttpLimits limits = {}, HttpSecurity security = {}) {
    std::vector<HttpRoute> routes = {
        {"/small", [](const HttpRequest&, HttpResponse& r) { r.body = "small"; }},
        {"/large", [this](const HttpRequest&, HttpResponse& r) { r.body = large_; }},
        {"/open", [](const HttpRequest&, HttpResponse& r) { r.body = "open"; }, true},
        {"/query", [](const HttpRequest& q, HttpResponse& r) { r.body = q.query(); }},
    };
    auto server = HttpServer::start(base_, address, std::move(routes), std::move(limits),
                                    std::move(security));
    if (!server) return tl::unexpected(server.error());
    server_ = std::move(*server);
    return {};
  }

  Result<> start() { return start({SocketAddress::Kind::tcp, "127.0.0.1", 0, {}}); }

  // Runs the client beside the loop until it is done.
  void with_client(const std::function<void()>& client) {
    std::thread thread([&] {
      client();
      done_ = true;
    });
    const timeval turn{0, 2000};
    while (!done_) {
      event_base_loopexit(base_, &turn);
      event_base_dispatch(base_);
    }
    thread.join();
    done_ = false;
    event_base_loop(base_, EVLOOP_NONBLOCK);
  }

  event_base* base_ = event_base_new();
  std::unique_ptr<HttpServer> server_;
  std::string large_ = std::string(100000, 'x');
  std::atomic<bool> done_ = false;
};

}  // namespace warpsight::test

// A server on a loop of its own and clients beside it, for tests.
#pragma once

#include <event2/event.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
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
    for (HttpRoute& route : more_routes_) routes.push_back(route);
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
    while (!turn_until([this] { return done_.load(); })) {
    }
    thread.join();
    done_ = false;
    event_base_loop(base_, EVLOOP_NONBLOCK);
  }

  // For clients: has the loop's thread do it, and waits until it is done.
  void on_loop(const std::function<void()>& action) {
    std::promise<void> done;
    {
      const std::lock_guard lock(mutex_);
      actions_.emplace_back([&] {
        action();
        done.set_value();
      });
    }
    done.get_future().wait();
  }

  // Turns the loop, for twenty seconds at most.
  bool turn_until(const std::function<bool()>& reached) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    const timeval turn{0, 2000};
    while (!reached()) {
      if (std::chrono::steady_clock::now() > end) return false;
      event_base_loopexit(base_, &turn);
      event_base_dispatch(base_);
      for (const auto& action : take_actions()) action();
    }
    return true;
  }

  event_base* base_ = event_base_new();
  std::unique_ptr<HttpServer> server_;
  std::string large_ = std::string(100000, 'x');
  std::atomic<bool> done_ = false;
  std::vector<HttpRoute> more_routes_;  // for start()

 private:
  std::vector<std::function<void()>> take_actions() {
    const std::lock_guard lock(mutex_);
    return std::exchange(actions_, {});
  }

  std::mutex mutex_;
  std::vector<std::function<void()>> actions_;
};

}  // namespace warpsight::test

// An API server on the loopback that answers as it is told to.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "net/scripted_server_test.h"

namespace warpsight::kubernetes::test {

class FakeApiServer {
 public:
  using Connection = warpsight::test::ServerConnection;
  using Handler = std::function<void(Connection&, const std::string& request)>;

  // With TLS, and a certificate of `authority`; null: without.
  explicit FakeApiServer(warpsight::test::TestAuthority* authority);

  // Answers requests whose path begins so; of several, the longest beginning counts. What nobody
  // answers gets 404.
  void on(const std::string& path, Handler handler);
  void on(const std::string& path, int status, const std::string& body);

  std::string url() const { return server_.url(""); }
  // All that came, in the order they came.
  std::vector<std::string> requests() const;

 private:
  void serve(Connection& connection);
  Handler handler_of(std::string_view path) const;

  mutable std::mutex mutex_;
  std::map<std::string, Handler> handlers_;
  std::vector<std::string> requests_;
  warpsight::test::ScriptedServer server_;
};

std::string http_answer(int status, std::string_view body);

// A watch: its head, then events, each a piece.
void begin_watch(FakeApiServer::Connection& connection);
bool send_piece(FakeApiServer::Connection& connection, std::string_view bytes);

}  // namespace warpsight::kubernetes::test

#include "sources/kubernetes/api/fake_api_server_test.h"

#include <fmt/format.h>

namespace warpsight::kubernetes::test {

FakeApiServer::FakeApiServer(warpsight::test::TestAuthority* authority)
    : server_([this](Connection& connection) { serve(connection); },
              authority == nullptr ? nullptr
                                   : std::make_unique<warpsight::test::ServerTls>(
                                         authority->issue("IP:127.0.0.1"), false)) {}

void FakeApiServer::on(const std::string& path, Handler handler) {
  const std::lock_guard lock(mutex_);
  handlers_[path] = std::move(handler);
}

void FakeApiServer::on(const std::string& path, int status, const std::string& body) {
  on(path, [answer = http_answer(status, body)](Connection& connection, const std::string&) {
    connection.send(answer);
  });
}

std::vector<std::string> FakeApiServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

FakeApiServer::Handler FakeApiServer::handler_of(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  Handler found = [](Connection& connection, const std::string&) {
    connection.send(http_answer(404, "404 page not found"));
  };
  size_t longest = 0;
  for (const auto& [beginning, handler] : handlers_) {
    if (!path.starts_with(beginning) || beginning.size() < longest) continue;
    longest = beginning.size();
    found = handler;
  }
  return found;
}

void FakeApiServer::serve(Connection& connection) {
  while (connection.open()) {
    const std::string request = connection.read_request();
    if (request.empty()) return;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const std::string_view path = std::string_view(request).substr(4);
    handler_of(path.substr(0, path.find(' ')))(connection, request);
  }
}

std::string http_answer(int status, std::string_view body) {
  return fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

void begin_watch(FakeApiServer::Connection& connection) {
  connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
}

bool send_piece(FakeApiServer::Connection& connection, std::string_view bytes) {
  return connection.send(fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes));
}

}  // namespace warpsight::kubernetes::test

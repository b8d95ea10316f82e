#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "ui/http_test_client.h"

namespace warpsight::test {

HttpClient::HttpClient(const SocketAddress& server) {
  const bool tcp = server.kind == SocketAddress::Kind::tcp;
  Fd fd(::socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in inet{};
  inet.sin_family = AF_INET;
  inet.sin_port = htons(server.port);
  inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  std::strncpy(local.sun_path, server.path.c_str(), sizeof local.sun_path - 1);
  const auto* name =
      tcp ? reinterpret_cast<const sockaddr*>(&inet) : reinterpret_cast<const sockaddr*>(&local);
  const timeval patience{20, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (fd && ::connect(fd.get(), name, tcp ? sizeof inet : sizeof local) == 0) fd_ = std::move(fd);
}

HttpClient::HttpClient(const SocketAddress& server, const ClientTls& tls) : HttpClient(server) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  SSL_CTX_load_verify_file(context.get(), tls.ca.c_str());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (!tls.certificate.empty()) {
    SSL_CTX_use_certificate_chain_file(context.get(), tls.certificate.c_str());
    SSL_CTX_use_PrivateKey_file(context.get(), tls.key.c_str(), SSL_FILETYPE_PEM);
  }
  std::shared_ptr<SSL> ssl(SSL_new(context.get()), SSL_free);
  SSL_set1_host(ssl.get(), "localhost");
  SSL_set_fd(ssl.get(), fd_.get());
  if (SSL_connect(ssl.get()) == 1) tls_ = std::move(ssl);
}

std::string HttpClient::peer_serial() const {
  X509* certificate = SSL_get1_peer_certificate(tls_.get());
  BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
  char* digits = BN_bn2dec(number);
  std::string serial = digits;
  OPENSSL_free(digits);
  BN_free(number);
  X509_free(certificate);
  return serial;
}

ssize_t HttpClient::read(char* out, size_t size) {
  return tls_ ? SSL_read(tls_.get(), out, static_cast<int>(size)) : ::recv(fd_.get(), out, size, 0);
}

ssize_t HttpClient::write(std::string_view bytes) {
  return tls_ ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
              : ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(bytes);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

HttpReply HttpClient::receive(bool head_only) {
  HttpReply reply;
  size_t need = std::string::npos;
  size_t body_at = 0;
  for (;;) {
    if (const size_t end = buffer_.find("\r\n\r\n"); end != std::string::npos && body_at == 0) {
      body_at = end + 4;
      const size_t length = buffer_.find("Content-Length: ");
      need = body_at;
      if (!head_only && length < end) {
        need += static_cast<size_t>(std::strtoul(buffer_.c_str() + length + 16, nullptr, 10));
      }
    }
    if (buffer_.size() >= need && need != std::string::npos) break;
    char chunk[65536];
    const ssize_t n = read(chunk, sizeof chunk);
    if (n <= 0) return reply;
    buffer_.append(chunk, static_cast<size_t>(n));
  }
  reply.head = buffer_.substr(0, body_at);
  reply.body = buffer_.substr(body_at, need - body_at);
  reply.status = std::atoi(reply.head.c_str() + reply.head.find(' ') + 1);
  buffer_.erase(0, need);
  return reply;
}

HttpReply HttpClient::exchange(std::string_view request) {
  send(request);
  return receive(request.starts_with("HEAD"));
}

HttpReply HttpClient::get(std::string_view path, std::string_view more_headers) {
  std::string request = "GET ";
  request.append(path).append(" HTTP/1.1\r\nHost: localhost\r\n").append(more_headers);
  return exchange(request + "\r\n");
}

std::string HttpClient::read_to(std::string_view text) {
  char chunk[65536];
  while (buffer_.find(text) == std::string::npos) {
    const ssize_t n = read(chunk, sizeof chunk);
    if (n <= 0) return {};
    buffer_.append(chunk, static_cast<size_t>(n));
  }
  const size_t end = buffer_.find(text) + text.size();
  std::string found = buffer_.substr(0, end);
  buffer_.erase(0, end);
  return found;
}

std::string HttpClient::read_to_end() {
  char chunk[65536];
  for (ssize_t n = 0; (n = read(chunk, sizeof chunk)) > 0;) {
    buffer_.append(chunk, static_cast<size_t>(n));
  }
  return std::exchange(buffer_, {});
}

bool HttpClient::nothing_yet() const {
  char byte = 0;
  return buffer_.empty() && ::recv(fd_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0;
}

bool HttpClient::closed_by_peer() {
  char byte = 0;
  return read(&byte, 1) == 0;
}

}  // namespace warpsight::test

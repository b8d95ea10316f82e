#include "sources/kubernetes/api/access.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "net/http_header.h"
#include "platform/fd.h"
#include "platform/file.h"

namespace warpsight::kubernetes {
namespace {

// What tells one state of a file from the next, through links as Kubernetes makes them. Empty when
// there is no file.
std::string identity_of(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return {};
  return fmt::format("{}:{}:{}:{}.{}", info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

std::string if_there(std::string path) {
  return ::access(path.c_str(), R_OK) == 0 ? std::move(path) : std::string();
}

}  // namespace

Surroundings Surroundings::of_this_process() {
  return {.variable = [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
    return std::string(value != nullptr ? value : "");
  }};
}

Result<Access> complete(Access wanted, const Surroundings& surroundings) {
  if (wanted.url.empty()) {
    const std::string host = surroundings.variable("KUBERNETES_SERVICE_HOST");
    const std::string port = surroundings.variable("KUBERNETES_SERVICE_PORT");
    if (host.empty()) {
      return fail("the address of the Kubernetes API server is not known",
                  "set api: https://host:6443, or run the agent in a pod");
    }
    const bool bare_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
    wanted.url = fmt::format("https://{}{}{}:{}", bare_ipv6 ? "[" : "", host, bare_ipv6 ? "]" : "",
                             port.empty() ? "443" : port);
  }
  while (wanted.url.ends_with('/')) wanted.url.pop_back();
  if (wanted.token_file.empty()) wanted.token_file = if_there(surroundings.account + "/token");
  if (wanted.ca_file.empty()) wanted.ca_file = if_there(surroundings.account + "/ca.crt");
  return wanted;
}

Result<HttpHeaders> TokenFile::headers() {
  if (path_.empty()) return HttpHeaders{};
  std::string identity = identity_of(path_);
  if (identity.empty() || identity != identity_) {
    auto token = read_file(path_);
    if (!token) return fail(token.error().message, "see token_file");
    const size_t last = token->find_last_not_of(" \t\r\n");
    token->resize(last == std::string::npos ? 0 : last + 1);
    if (token->empty() || !is_header_value(*token)) {
      return fail(fmt::format("{} has no token", path_), "it must hold the token on one line");
    }
    token_ = std::move(*token);
    identity_ = std::move(identity);
  }
  return HttpHeaders{{"Authorization", "Bearer " + token_}};
}

}  // namespace warpsight::kubernetes

#include "runtime/peer_options.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "net/base64.h"
#include "net/http_header.h"
#include "net/proxy.h"
#include "platform/file.h"

namespace warpsight {
namespace {

constexpr std::string_view kAuthorization = "authorization";

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// What tells one state of a file from the next, through links as Kubernetes makes them.
Result<std::string> identity_of(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    return fail_errno(fmt::format("cannot read auth.bearer_file {}", path), errno);
  }
  return fmt::format("{}:{}:{}:{}.{}", info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

Result<std::string> read_token(const std::string& path) {
  auto token = read_file(path);
  if (!token) return token;
  const size_t last = token->find_last_not_of(" \t\r\n");
  token->resize(last == std::string::npos ? 0 : last + 1);
  if (token->empty() || !is_header_value(*token)) {
    return fail(fmt::format("auth.bearer_file {} has no token", path),
                "it must hold the token on one line");
  }
  return token;
}

bool has_authorization(const Options& options) {
  return std::ranges::any_of(options.secret_map("headers"), [](const auto& header) {
    return same_header_name(header.first, kAuthorization);
  });
}

Result<> check_credentials(const Options& options) {
  const bool basic =
      !options.text("auth.username").empty() || !options.secret("auth.password").empty();
  const int ways = (options.secret("auth.bearer").empty() ? 0 : 1) +
                   (options.text("auth.bearer_file").empty() ? 0 : 1) + (basic ? 1 : 0) +
                   (has_authorization(options) ? 1 : 0);
  if (ways > 1) {
    return fail("credentials are given twice",
                "keep one of auth.bearer, auth.bearer_file, auth.username with auth.password, and "
                "an Authorization header");
  }
  if (basic && options.text("auth.username").empty()) {
    return fail("auth.password has no auth.username", "set both");
  }
  if (options.text("auth.username").find(':') != std::string::npos) {
    return fail("auth.username must not have a colon", "basic authentication cannot carry it");
  }
  if (!is_header_value(options.secret("auth.bearer"))) {
    return fail("auth.bearer has characters that no token has", "is it more than one line?");
  }
  return {};
}

Result<> check_headers(const Options& options) {
  for (const auto& [name, value] : options.secret_map("headers")) {
    if (!is_header_name(name)) {
      return fail(fmt::format("headers: \"{}\" is not a header's name", name),
                  "use letters, digits and dashes");
    }
    if (!is_header_value(value)) {
      return fail(fmt::format("headers: the value of {} has control characters", name),
                  "is it more than one line?");
    }
  }
  return {};
}

Result<> check_files(const Options& options) {
  for (const std::string_view name : {"tls.ca", "tls.certificate", "tls.key", "auth.bearer_file"}) {
    const std::string& path = options.text(name);
    if (path.empty()) continue;
    if (const auto opened = open_for_reading(path); !opened) {
      return fail(
          fmt::format("{}: {}", name, opened.error().message),
          opened.error().hint.empty() ? "see whether the path is right" : opened.error().hint);
    }
  }
  if (options.text("tls.certificate").empty() != options.text("tls.key").empty()) {
    return fail("tls.certificate and tls.key belong together", "set both, or neither");
  }
  return {};
}

}  // namespace

PeerHeaders::PeerHeaders(Options options) : options_(std::move(options)) {}

Result<HttpHeaders> PeerHeaders::current() {
  HttpHeaders headers;
  for (const auto& [name, value] : options_.secret_map("headers")) {
    headers.emplace_back(lower_case(name), value);
  }
  if (const std::string& file = options_.text("auth.bearer_file"); !file.empty()) {
    auto identity = identity_of(file);
    if (!identity) return tl::unexpected(identity.error());
    if (*identity != identity_) {
      auto token = read_token(file);
      if (!token) return tl::unexpected(token.error());
      token_ = std::move(*token);
      identity_ = std::move(*identity);
    }
    headers.emplace_back(kAuthorization, "Bearer " + token_);
  } else if (const std::string& bearer = options_.secret("auth.bearer"); !bearer.empty()) {
    headers.emplace_back(kAuthorization, "Bearer " + bearer);
  } else if (const std::string& user = options_.text("auth.username"); !user.empty()) {
    headers.emplace_back(kAuthorization,
                         "Basic " + base64_encode(user + ":" + options_.secret("auth.password")));
  }
  return headers;
}

Result<HttpClientSettings> peer_settings(const Options& options) {
  for (const auto check : {check_credentials, check_headers, check_files}) {
    if (const auto checked = check(options); !checked) return tl::unexpected(checked.error());
  }
  const std::string& proxy = options.secret("proxy");
  if (!proxy.empty()) {
    if (const auto parsed = parse_proxy(proxy); !parsed) return tl::unexpected(parsed.error());
  }
  return HttpClientSettings{.tls = {.ca = options.text("tls.ca"),
                                    .certificate = options.text("tls.certificate"),
                                    .key = options.text("tls.key"),
                                    .server_name = options.text("tls.server_name"),
                                    .verify = !options.flag("tls.insecure_skip_verify")},
                            .proxy = proxy,
                            .timeout = options.duration("timeout")};
}

}  // namespace warpsight

#include "ui/host_check.h"

#include <arpa/inet.h>

#include <algorithm>

namespace warpsight {
namespace {

constexpr size_t kMaxHost = 255 + 6;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view without_port(std::string_view header) {
  if (header.starts_with('[')) {
    const size_t end = header.find(']');
    return end == std::string_view::npos ? header : header.substr(1, end - 1);
  }
  return header.substr(0, header.rfind(':'));
}

bool is_address(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  return ::inet_pton(AF_INET, host.c_str(), &v4) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &v6) == 1;
}

}  // namespace

bool is_host(std::string_view header) {
  return !header.empty() && header.size() <= kMaxHost && std::ranges::all_of(header, [](char c) {
    const char l = lower(c);
    return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view(".-_:[]").find(c) != std::string_view::npos;
  });
}

bool names_this_machine(std::string_view header, std::span<const std::string> names) {
  const std::string host(without_port(header));
  if (same(host, "localhost") || is_address(host)) return true;
  return std::ranges::any_of(names, [&](const std::string& name) { return same(host, name); });
}

}  // namespace warpsight

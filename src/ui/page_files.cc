#include "ui/page_files.h"

#include <fmt/format.h>

#include <cstdint>

#include "ui/accept.h"
#include "web/assets.h"
#include "wire/gzip.h"

namespace warpsight {
namespace {

constexpr size_t kMaxFile = size_t{8} << 20;  // unpacked

// FNV-1a: tells one build's file from another's.
uint64_t hash(std::string_view bytes) {
  uint64_t value = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return value;
}

void serve(const Asset& asset, const std::string& tag, const HttpRequest& request,
           HttpResponse& response) {
  response.content_type = asset.content_type;
  // Kept by the browser, but asked about each time: an upgrade shows at once.
  response.headers.emplace_back("Cache-Control", "no-cache");
  response.headers.emplace_back("ETag", "W/" + tag);
  if (names_tag(request.header("If-None-Match"), tag)) {
    response.status = 304;
    return;
  }
  response.packed = accepts_gzip(request.header("Accept-Encoding"));
  if (response.packed) {
    response.body = asset.gzip;
    return;
  }
  if (auto plain = gzip_decode(asset.gzip, kMaxFile)) {
    response.body = std::move(*plain);
  } else {
    response.status = 500;
    response.content_type = "text/plain; charset=utf-8";
    response.body = "This file is broken in the program; install it again.\n";
  }
}

HttpRoute route_of(std::string_view path, const Asset& asset) {
  HttpRoute route{.path = std::string(path), .open = true};
  route.handler = [asset, tag = fmt::format("\"{:016x}\"", hash(asset.gzip))](
                      const HttpRequest& request, HttpResponse& response) {
    serve(asset, tag, request, response);
  };
  return route;
}

}  // namespace

bool names_tag(std::string_view if_none_match, std::string_view tag) {
  return if_none_match == "*" || if_none_match.find(tag) != std::string_view::npos;
}

std::vector<HttpRoute> page_routes() {
  std::vector<HttpRoute> routes;
  for (const Asset& asset : page_assets()) {
    routes.push_back(route_of(asset.path, asset));
    if (asset.path == "/") routes.push_back(route_of("/index.html", asset));
  }
  return routes;
}

}  // namespace warpsight

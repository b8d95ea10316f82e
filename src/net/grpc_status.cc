#include "net/grpc_status.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>

namespace warpsight {
namespace {

constexpr std::array<std::string_view, 17> kNames = {
    "ok",
    "cancelled",
    "unknown",
    "invalid_argument",
    "deadline_exceeded",
    "not_found",
    "already_exists",
    "permission_denied",
    "resource_exhausted",
    "failed_precondition",
    "aborted",
    "out_of_range",
    "unimplemented",
    "internal",
    "unavailable",
    "data_loss",
    "unauthenticated",
};

}  // namespace

std::string_view to_string(GrpcStatus status) { return kNames[static_cast<size_t>(status)]; }

GrpcStatus grpc_status_of(int code) {
  const bool known = code >= 0 && static_cast<size_t>(code) < kNames.size();
  return known ? static_cast<GrpcStatus>(code) : GrpcStatus::unknown;
}

GrpcStatus grpc_status_of_http(int http_status) {
  switch (http_status) {
    case 400: return GrpcStatus::internal;
    case 401: return GrpcStatus::unauthenticated;
    case 403: return GrpcStatus::permission_denied;
    case 404: return GrpcStatus::unimplemented;
    case 429:
    case 502:
    case 503:
    case 504: return GrpcStatus::unavailable;
    default: return GrpcStatus::unknown;
  }
}

GrpcStatus grpc_status_of_reset(uint32_t http2_error) {
  switch (http2_error) {
    case NGHTTP2_REFUSED_STREAM: return GrpcStatus::unavailable;
    case NGHTTP2_CANCEL: return GrpcStatus::cancelled;
    case NGHTTP2_ENHANCE_YOUR_CALM: return GrpcStatus::resource_exhausted;
    case NGHTTP2_INADEQUATE_SECURITY: return GrpcStatus::permission_denied;
    default: return GrpcStatus::internal;
  }
}

std::string format_grpc_timeout(Duration timeout) {
  constexpr int64_t kMost = 99'999'999;  // eight digits at most
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  return ms <= kMost ? fmt::format("{}m", std::max<int64_t>(ms, 1))
                     : fmt::format("{}S", std::min<int64_t>(ms / 1000, kMost));
}

}  // namespace warpsight

#include "net/rpc_status.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <protozero/pbf_reader.hpp>

namespace warpsight {
namespace {

using protozero::pbf_reader;

// A field of the wrong type is another field: skipped, as an unknown one.
constexpr uint32_t varint(protozero::pbf_tag_type field) {
  return tag_and_type(field, protozero::pbf_wire_type::varint);
}
constexpr uint32_t bytes_of(protozero::pbf_tag_type field) {
  return tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}

namespace status_field {
constexpr uint32_t kCode = varint(1);
constexpr uint32_t kMessage = bytes_of(2);
constexpr uint32_t kDetails = bytes_of(3);
}  // namespace status_field
namespace any_field {
constexpr uint32_t kTypeUrl = bytes_of(1);
constexpr uint32_t kValue = bytes_of(2);
}  // namespace any_field
constexpr uint32_t kRetryDelay = bytes_of(1);  // of google.rpc.RetryInfo
namespace duration_field {
constexpr uint32_t kSeconds = varint(1);
constexpr uint32_t kNanos = varint(2);
}  // namespace duration_field

constexpr std::string_view kRetryInfoType = "google.rpc.RetryInfo";

std::string_view as_view(protozero::data_view view) { return {view.data(), view.size()}; }

Duration decode_duration(pbf_reader message) {
  int64_t seconds = 0;
  int32_t nanos = 0;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case duration_field::kSeconds: seconds = message.get_int64(); break;
      case duration_field::kNanos: nanos = message.get_int32(); break;
      default: message.skip();
    }
  }
  constexpr std::chrono::seconds kMost = std::chrono::days{1};
  const auto whole = std::clamp(std::chrono::seconds{seconds}, std::chrono::seconds{0}, kMost);
  const Duration exact = whole + std::chrono::nanoseconds{nanos};
  return std::clamp<Duration>(exact, Duration::zero(), kMost);
}

std::optional<Duration> decode_retry_info(pbf_reader any) {
  std::string_view type;
  protozero::data_view value;
  while (any.next()) {
    switch (any.tag_and_type()) {
      case any_field::kTypeUrl: type = as_view(any.get_view()); break;
      case any_field::kValue: value = any.get_view(); break;
      default: any.skip();
    }
  }
  if (!type.ends_with(kRetryInfoType)) return std::nullopt;
  pbf_reader info(value);
  Duration delay{};
  while (info.next()) {
    if (info.tag_and_type() == kRetryDelay) {
      delay = decode_duration(info.get_message());
    } else {
      info.skip();
    }
  }
  return delay;
}

RpcStatus decode_status(pbf_reader message) {
  RpcStatus status;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case status_field::kCode: status.code = message.get_int32(); break;
      case status_field::kMessage: status.message = as_view(message.get_view()); break;
      case status_field::kDetails:
        if (const auto delay = decode_retry_info(message.get_message())) {
          status.retry_delay = delay;
        }
        break;
      default: message.skip();
    }
  }
  return status;
}

}  // namespace

std::optional<RpcStatus> decode_rpc_status(std::string_view bytes) {
  try {
    return decode_status(pbf_reader(bytes.data(), bytes.size()));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace warpsight

#include "net/rpc_status.h"

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

namespace warpsight {
namespace {

using protozero::pbf_writer;

std::string retry_info(int64_t seconds, int32_t nanos) {
  std::string out;
  pbf_writer info(out);
  pbf_writer delay(info, 1);
  delay.add_int64(1, seconds);
  delay.add_int32(2, nanos);
  return out;
}

std::string status_with(const std::string& type, const std::string& detail) {
  std::string out;
  pbf_writer status(out);
  status.add_int32(1, 8);
  status.add_string(2, "slow down");
  pbf_writer any(status, 3);
  any.add_string(1, type);
  any.add_bytes(2, detail);
  return out;
}

constexpr const char* kRetryInfo = "type.googleapis.com/google.rpc.RetryInfo";

TEST(RpcStatus, TellsMessageAndDelay) {
  const auto status = decode_rpc_status(status_with(kRetryInfo, retry_info(2, 500'000'000)));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 8);
  EXPECT_EQ(status->message, "slow down");
  EXPECT_EQ(status->retry_delay, std::chrono::milliseconds{2500});
}

TEST(RpcStatus, DelaysAreBetweenNothingAndADay) {
  EXPECT_EQ(decode_rpc_status(status_with(kRetryInfo, retry_info(-5, -1)))->retry_delay,
            Duration::zero());
  EXPECT_EQ(decode_rpc_status(status_with(kRetryInfo, retry_info(INT64_MAX, 999)))->retry_delay,
            std::chrono::days{1});
  EXPECT_EQ(decode_rpc_status(status_with(kRetryInfo, ""))->retry_delay, Duration::zero());
}

TEST(RpcStatus, OtherDetailsAreNoDelay) {
  const auto status =
      decode_rpc_status(status_with("type.googleapis.com/google.rpc.ErrorInfo", retry_info(2, 0)));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->retry_delay, std::nullopt);
}

TEST(RpcStatus, FieldsOfAnotherTypeAreSkipped) {
  std::string bytes;
  pbf_writer status(bytes);
  status.add_string(1, "not a number");
  status.add_int32(2, 7);
  status.add_string(9, "unknown");
  EXPECT_EQ(decode_rpc_status(bytes)->message, "");
}

TEST(RpcStatus, BrokenBytesAreNothing) {
  const std::string whole = status_with(kRetryInfo, retry_info(2, 0));
  EXPECT_FALSE(decode_rpc_status(whole.substr(0, whole.size() - 1)));
  EXPECT_FALSE(decode_rpc_status("<html>"));
  EXPECT_TRUE(decode_rpc_status(""));
}

}  // namespace
}  // namespace warpsight

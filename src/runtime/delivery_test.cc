#include "runtime/delivery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

namespace warpsight {
namespace {

using Outcome = Delivery::Outcome;
using testing::HasSubstr;

HttpReply reply(int status, std::string body = {}, HttpHeaders headers = {}) {
  return {.status = status, .body = std::move(body), .headers = std::move(headers)};
}

TEST(Delivery, EveryTransportFailureMayBeTriedAgain) {
  using enum TransportFailure::Kind;
  for (const auto kind :
       {setup, resolve, connect, tls, timeout, reset, protocol, too_large, interrupted}) {
    const Delivery delivery = delivery_of({.kind = kind, .message = "broken", .hint = "mend it"});
    EXPECT_EQ(delivery.outcome, Outcome::retry);
    EXPECT_EQ(delivery.reason, to_string(kind));
    EXPECT_EQ(delivery.words, "broken; mend it");
  }
}

TEST(Delivery, TheGenerousRuleTriesEveryServerErrorAgain) {
  for (const int status : {408, 429, 500, 501, 503, 507, 599}) {
    EXPECT_EQ(delivery_of(reply(status), RetryRule::generous, Time{}).outcome, Outcome::retry);
  }
  for (const int status : {301, 400, 404, 409, 413, 422, 600}) {
    EXPECT_EQ(delivery_of(reply(status), RetryRule::generous, Time{}).outcome, Outcome::refused);
  }
}

TEST(Delivery, TheRuleOfOtlpTriesOnlyTheFourAgain) {
  for (const int status : {429, 502, 503, 504}) {
    EXPECT_EQ(delivery_of(reply(status), RetryRule::otlp, Time{}).outcome, Outcome::retry);
  }
  for (const int status : {408, 500, 501, 505, 507}) {
    EXPECT_EQ(delivery_of(reply(status), RetryRule::otlp, Time{}).outcome, Outcome::refused);
  }
}

TEST(Delivery, AProtobufStatusSpeaksForItself) {
  std::string body;
  protozero::pbf_writer(body).add_string(2, "metric gpu.power: bad unit");
  const auto typed = reply(400, body, {{"Content-Type", "application/x-protobuf"}});
  EXPECT_EQ(delivery_of(typed, RetryRule::otlp, Time{}).words,
            "HTTP status 400: metric gpu.power: bad unit");
  const auto broken = reply(400, "\xff\xff", {{"Content-Type", "application/x-protobuf"}});
  EXPECT_EQ(delivery_of(broken, RetryRule::otlp, Time{}).words, "HTTP status 400");
}

TEST(Delivery, QuotesOnlyTheBeginning) {
  const Delivery delivery =
      delivery_of(reply(400, std::string(100'000, 'x')), RetryRule::otlp, Time{});
  EXPECT_LT(delivery.words.size(), 400U);
  EXPECT_THAT(delivery.words, testing::EndsWith("xxx..."));
}

TEST(Delivery, ProxiesThatWantCredentialsAreNamed) {
  const Delivery delivery = delivery_of(reply(407), RetryRule::otlp, Time{});
  EXPECT_EQ(delivery.outcome, Outcome::unauthorized);
  EXPECT_THAT(delivery.words, HasSubstr("proxy"));
}

TEST(Delivery, GrpcCodesAsOtlpOrders) {
  const auto outcome = [](int status) {
    return delivery_of(GrpcReply{.status = status, .message = {}, .details = {}, .body = {}})
        .outcome;
  };
  EXPECT_EQ(outcome(0), Outcome::accepted);
  for (const int status : {1, 4, 10, 11, 14, 15}) EXPECT_EQ(outcome(status), Outcome::retry);
  for (const int status : {2, 3, 5, 6, 8, 9, 12, 13, 17, -1}) {
    EXPECT_EQ(outcome(status), Outcome::refused) << status;
  }
  for (const int status : {7, 16}) EXPECT_EQ(outcome(status), Outcome::unauthorized);
}

}  // namespace
}  // namespace warpsight

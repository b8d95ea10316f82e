#include "ui/authorization.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

// "reader:pass word" in base64.
constexpr std::string_view kBasic = "Basic cmVhZGVyOnBhc3Mgd29yZA==";

TEST(Authorization, WithoutCredentialsEverybodyMay) {
  const Authorization open;
  EXPECT_FALSE(open.required());
  EXPECT_TRUE(open.allows(""));
  EXPECT_TRUE(open.allows("Bearer whatever"));
}

TEST(Authorization, TheTokenMustBeExactlyThat) {
  const Authorization token({.bearer = "s3cret"});
  EXPECT_TRUE(token.required());
  EXPECT_TRUE(token.allows("Bearer s3cret"));
  EXPECT_TRUE(token.allows("bearer   s3cret")) << "the scheme's case means nothing";
  for (const char* header : {"", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3crett",
                             "Bearer S3CRET", "Basic s3cret", "s3cret", "Bearers3cret"}) {
    EXPECT_FALSE(token.allows(header)) << header;
  }
}

TEST(Authorization, ThePasswordGoesWithItsUser) {
  const Authorization password({.bearer = {}, .username = "reader", .password = "pass word"});
  EXPECT_TRUE(password.allows(kBasic));
  EXPECT_FALSE(password.allows("Bearer cmVhZGVyOnBhc3Mgd29yZA=="));
  EXPECT_FALSE(password.allows("Basic b3RoZXI6cGFzcyB3b3Jk")) << "other:pass word";
}

TEST(Authorization, EitherWillDoAndBothAreAskedFor) {
  const Authorization both({.bearer = "s3cret", .username = "reader", .password = "pass word"});
  EXPECT_TRUE(both.allows("Bearer s3cret"));
  EXPECT_TRUE(both.allows(kBasic));
  std::string challenges;
  both.for_each_challenge([&](std::string_view text) { challenges.append(text).append("\n"); });
  EXPECT_EQ(challenges,
            "Bearer realm=\"warpsight\"\nBasic realm=\"warpsight\", charset=\"UTF-8\"\n");
}

}  // namespace
}  // namespace warpsight

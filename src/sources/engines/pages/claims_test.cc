#include "sources/engines/pages/claims.h"

#include <gtest/gtest.h>

namespace warpsight::engines {
namespace {

using std::chrono::seconds;

constexpr Time kNow{seconds{1'700'000'000}};
constexpr int kDirect = 1;
constexpr int kRay = 2;
constexpr int kGateway = 3;

TEST(Claims, AnEngineSpeaksFirstThenARelayThenAGateway) {
  Claims claims;
  claims.claim(&kGateway, "m", Standing::gateway, kNow, seconds{30});
  EXPECT_TRUE(claims.speaks(nullptr, "m", Standing::gateway, kNow));
  claims.claim(&kRay, "m", Standing::re_export, kNow, seconds{30});
  EXPECT_FALSE(claims.speaks(nullptr, "m", Standing::gateway, kNow));
  EXPECT_TRUE(claims.speaks(nullptr, "m", Standing::re_export, kNow));
  claims.claim(&kDirect, "m", Standing::engine, kNow, seconds{30});
  EXPECT_FALSE(claims.speaks(nullptr, "m", Standing::re_export, kNow));
  EXPECT_TRUE(claims.speaks(nullptr, "m", Standing::engine, kNow));
  EXPECT_TRUE(claims.speaks(nullptr, "other", Standing::gateway, kNow));
}

TEST(Claims, AClaimLapsesUnlessItIsMadeAgain) {
  Claims claims;
  claims.claim(&kDirect, "m", Standing::engine, kNow, seconds{30});
  EXPECT_FALSE(claims.speaks(nullptr, "m", Standing::gateway, kNow + seconds{29}));
  EXPECT_TRUE(claims.speaks(nullptr, "m", Standing::gateway, kNow + seconds{30}));
  claims.claim(&kDirect, "m", Standing::engine, kNow + seconds{20}, seconds{30});
  EXPECT_FALSE(claims.speaks(nullptr, "m", Standing::gateway, kNow + seconds{30}));
}

TEST(Claims, APageWithdrawsOnlyItsOwn) {
  Claims claims;
  claims.claim(&kDirect, "m", Standing::engine, kNow, seconds{30});
  claims.claim(&kDirect, "n", Standing::engine, kNow, seconds{30});
  claims.claim(&kRay, "n", Standing::engine, kNow, seconds{30});
  claims.withdraw(&kDirect);
  EXPECT_TRUE(claims.speaks(nullptr, "m", Standing::gateway, kNow));
  EXPECT_FALSE(claims.speaks(nullptr, "n", Standing::gateway, kNow));
}

TEST(Claims, WhoIsNotTheEngineWaitsForASecondPageWhereOthersMayFollow) {
  Claims claims(true);
  const int page = 0;
  claims.claim(&page, "m", Standing::gateway, kNow, seconds{30});
  EXPECT_FALSE(claims.speaks(&page, "m", Standing::gateway, kNow));
  const Time later = kNow + seconds{10};
  claims.claim(&page, "m", Standing::gateway, later, seconds{30});
  EXPECT_TRUE(claims.speaks(&page, "m", Standing::gateway, later));
  claims.claim(&page, "m", Standing::engine, later, seconds{30});
  EXPECT_TRUE(claims.speaks(&page, "m", Standing::engine, later)) << "the engine itself need not";
}

}  // namespace
}  // namespace warpsight::engines

#include "platform/sockets.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(ParseAddress, ReadsWhatPeopleWriteAndWritesItBack) {
  for (const char* text : {"127.0.0.1:9465", "[::1]:9465", "localhost:80", ":9465", "0.0.0.0:0",
                           "unix:/run/warpsight.sock", "unix:@abstract"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(to_string(*address), text);
  }
  EXPECT_EQ(parse_address("[::1]:9465")->host, "::1");
  EXPECT_EQ(parse_address("[::1]:9465")->port, 9465);
}

TEST(ParseAddress, RefusesWhatIsNoneAndSaysHowToWriteOne) {
  for (const char* text :
       {"", "9465", "localhost", "localhost:", "localhost:http", "1.2.3.4:65536", "1.2.3.4:-1",
        "::1:9465", "[::1]", "[nonsense]:1", "unix:", "unix:rel", "http://host:1"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_NE(address.error().hint.find("HOST:PORT"), std::string::npos);
  }
  EXPECT_FALSE(parse_address("unix:/" + std::string(200, 'x')));
}

TEST(IsLoopback, OnlyWhatStaysOnThisMachine) {
  for (const char* text : {"127.0.0.1:1", "127.1.2.3:1", "localhost:1", "[::1]:1",
                           "[::ffff:127.0.0.1]:1", "unix:/run/x"}) {
    EXPECT_TRUE(is_loopback(*parse_address(text))) << text;
  }
  for (const char* text : {"0.0.0.0:1", ":1", "[::]:1", "10.0.0.1:1", "node7:1"}) {
    EXPECT_FALSE(is_loopback(*parse_address(text))) << text;
  }
}

}  // namespace
}  // namespace warpsight

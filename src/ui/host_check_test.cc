#include "ui/host_check.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(HostCheck, AddressesLocalhostAndOwnNamesAreUs) {
  const std::vector<std::string> names = {"node1.example"};
  for (const char* host : {"localhost", "LOCALHOST:9465", "127.0.0.1:9465", "10.0.0.1",
                           "[::1]:9465", "[::1]", "Node1.Example:80"}) {
    EXPECT_TRUE(names_this_machine(host, names)) << host;
  }
}

TEST(HostCheck, AStrangersNameIsNot) {
  for (const char* host : {"evil.example:9465", "localhost.evil.example", "127.0.0.1.evil.example",
                           "", "[::1", "2130706433x"}) {
    EXPECT_FALSE(names_this_machine(host, {})) << host;
  }
}

TEST(HostCheck, GarbageIsNoHost) {
  EXPECT_TRUE(is_host("node-1_a.example:80"));
  EXPECT_FALSE(is_host("a b"));
  EXPECT_FALSE(is_host("<script>"));
  EXPECT_FALSE(is_host(std::string(300, 'a')));
  EXPECT_FALSE(is_host(""));
}

}  // namespace
}  // namespace warpsight

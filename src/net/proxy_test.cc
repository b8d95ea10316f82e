#include "net/proxy.h"

#include <gtest/gtest.h>

#include <map>

namespace warpsight {
namespace {

TEST(ParseProxy, TakesAddressAndCredentialsApart) {
  const auto proxy = parse_proxy("http://us%40er:p%3Aw@proxy.example:8080/");
  ASSERT_TRUE(proxy);
  EXPECT_EQ(to_string(proxy->address), "proxy.example:8080");
  EXPECT_EQ(proxy->user, "us@er");
  EXPECT_EQ(proxy->password, "p:w");
  EXPECT_EQ(to_string(parse_proxy("proxy")->address), "proxy:1080");
  EXPECT_EQ(to_string(parse_proxy("http://[::1]:3128")->address), "[::1]:3128");
  EXPECT_EQ(to_string(parse_proxy("http://[::1]")->address), "[::1]:1080");
}

TEST(ParseProxy, ErrorsNeverQuoteTheSecret) {
  for (const char* text : {"socks5://u:hush@proxy:1", "http://u:hush@:99", "http://u:hush@a b:1",
                           "http://u:hush@proxy:99999"}) {
    const auto proxy = parse_proxy(text);
    ASSERT_FALSE(proxy) << text;
    EXPECT_EQ(describe(proxy.error()).find("hush"), std::string::npos);
  }
}

class ProxyOfEnvironment : public testing::Test {
 protected:
  std::string proxy_for(const std::string& peer) {
    return proxy_of_environment(parse_address(peer).value(),
                                [this](const char* name) { return variables_[name]; });
  }
  std::map<std::string, std::string> variables_ = {{"HTTPS_PROXY", "http://proxy:1"}};
};

TEST_F(ProxyOfEnvironment, IsThatOfHttps) {
  EXPECT_EQ(proxy_for("collector.example:4317"), "http://proxy:1");
  variables_["https_proxy"] = "http://lower:1";
  EXPECT_EQ(proxy_for("collector.example:4317"), "http://lower:1");
}

TEST_F(ProxyOfEnvironment, IsNotUsedForThisMachine) {
  for (const char* peer : {"localhost:4317", "127.0.0.1:4317", "[::1]:4317", "unix:/run/x.sock"}) {
    EXPECT_EQ(proxy_for(peer), "") << peer;
  }
}

TEST_F(ProxyOfEnvironment, IsNotUsedForPeersThatNoProxyNames) {
  variables_["NO_PROXY"] = "svc.cluster, .corp.example,*.lab.example,10.0.0.7,node1:4317";
  for (const char* peer : {"svc.cluster:1", "otel.SVC.cluster:1", "a.corp.example:1",
                           "b.lab.example:1", "10.0.0.7:1", "node1:4317"}) {
    EXPECT_EQ(proxy_for(peer), "") << peer;
  }
  for (const char* peer : {"notsvc.cluster:1", "10.0.0.70:1", "node1:4318", "example:1"}) {
    EXPECT_NE(proxy_for(peer), "") << peer;
  }
  variables_["NO_PROXY"] = "*";
  EXPECT_EQ(proxy_for("anything:1"), "");
}

}  // namespace
}  // namespace warpsight

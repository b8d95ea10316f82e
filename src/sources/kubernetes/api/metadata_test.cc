#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "platform/test_dir.h"
#include "sources/kubernetes/api/fake_api_server_test.h"
#include "sources/kubernetes/api/metadata_factory.h"
#include "sources/kubernetes/api/recordings_test.h"

namespace warpsight::kubernetes {
namespace {

using test::begin_watch;
using test::FakeApiServer;
using test::http_answer;
using test::recording;
using test::send_piece;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Connection = FakeApiServer::Connection;

constexpr Duration kLong = std::chrono::seconds{20};
const std::string kPods = "/api/v1/pods";
const std::string kWatch = "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&watch";

std::string list_of(std::string_view version, std::initializer_list<std::string_view> names) {
  std::string items;
  for (const std::string_view name : names) {
    if (!items.empty()) items += ',';
    items += R"({"metadata":{"namespace":"s","name":")" + std::string(name) + R"(","uid":"u-)" +
             std::string(name) + R"("}})";
  }
  return R"({"metadata":{"resourceVersion":")" + std::string(version) + R"("},"items":[)" + items +
         "]}";
}

std::string added(std::string_view name, std::string_view version) {
  return R"({"type":"ADDED","object":{"metadata":{"namespace":"s","name":")" + std::string(name) +
         R"(","uid":"u-)" + std::string(name) + R"(","resourceVersion":")" + std::string(version) +
         R"("}}})" + "\n";
}

void quiet_watch(Connection& connection, const std::string& /*request*/) {
  begin_watch(connection);
  connection.wait_until_client_closes();
}

class MetadataTest : public testing::Test {
 protected:
  MetadataTest() {
    server_.on("/api/v1/nodes/", 200, recording("api_node.json"));
    server_.on(kWatch, quiet_watch);
    kubelet_.on("/pods", 200, recording("kubelet_pods.json"));
  }

  MetadataSettings settings(const std::string& mode = "api") const {
    return {.mode = mode,
            .node_name = "n1",
            .api = server_.url(),
            .token_file = token_file_,
            .ca_file = authority_.file(),
            .kubelet = kubelet_.url()};
  }
  std::unique_ptr<Metadata> make(const MetadataSettings& settings) {
    return std::move(make_metadata(settings, clock_).value());
  }
  template <typename Condition>
  static bool advance_until(Metadata& metadata, Condition condition) {
    const SteadyTime until = SystemClock().steady() + kLong;
    while (!condition() && SystemClock().steady() < until) {
      metadata.advance(std::chrono::milliseconds{20});
    }
    return condition();
  }
  static bool has(const Metadata& metadata, const std::string& name) {
    return metadata.pods().contains({"s", name});
  }
  static std::string request_with(const FakeApiServer& server, std::string_view text) {
    for (const std::string& request : server.requests()) {
      if (request.find(text) != std::string::npos) return request;
    }
    return {};
  }

  TestDir dir_;
  ManualClock clock_;
  std::string token_file_ = dir_.write("token", "first-secret\n");
  warpsight::test::TestAuthority authority_;
  FakeApiServer server_{&authority_};
  FakeApiServer kubelet_{&authority_};
};

TEST_F(MetadataTest, KnowsWhatARealServerSays) {
  server_.on(kPods, 200, recording("api_pods.json"));
  server_.on("/apis/apps/v1/namespaces/team-b/replicasets/infer-7d9c5b6f4", 200,
             recording("api_replicaset.json"));
  server_.on("/apis/batch/v1/namespaces/default/jobs/nightly-29384100", 200,
             recording("api_job.json"));
  server_.on("/apis/resource.k8s.io", 200, R"({"versions":[{"version":"v1"}]})");
  server_.on("/apis/resource.k8s.io/v1/resourceslices?", 200,
             recording("api_resourceslices_v1.json"));
  server_.on("/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.nodeName%3Dn1&watch",
             quiet_watch);
  const auto metadata = make(settings());
  EXPECT_FALSE(metadata->synced());
  ASSERT_TRUE(advance_until(*metadata, [&] { return metadata->synced(); })) << metadata->problem();
  EXPECT_EQ(metadata->problem(), "");
  EXPECT_THAT(metadata->pods().at({"team-b", "infer-7d9c5b6f4-x2x9k"}).workload,
              ElementsAre(Attribute{"k8s.replicaset.name", "infer-7d9c5b6f4"},
                          Attribute{"k8s.deployment.name", "infer"}));
  EXPECT_THAT(metadata->pods().at({"default", "nightly-29384100-bq7wd"}).workload,
              ElementsAre(Attribute{"k8s.job.name", "nightly-29384100"},
                          Attribute{"k8s.cronjob.name", "nightly"}));
  EXPECT_TRUE(metadata->device("gpu.nvidia.com", "gpu-node-a", "gpu-6"));
  EXPECT_THAT(metadata->node(), ElementsAre(Attribute{"k8s.node.name", "n1"}));
  EXPECT_THAT(metadata->lookups(), SizeIs(4));
  EXPECT_THAT(server_.requests(), Each(HasSubstr("\r\nAuthorization: Bearer first-secret\r\n")));
  EXPECT_FALSE(metadata->advance(std::chrono::milliseconds{1})) << "nothing changed since";
}

TEST_F(MetadataTest, SeesPodsComeByWatchingInPieces) {
  std::promise<void> go_on;
  server_.on(kPods, 200, list_of("10", {"a"}));
  server_.on(kWatch, [&](Connection& connection, const std::string&) {
    begin_watch(connection);
    const std::string event = added("b", "11");
    send_piece(connection, event.substr(0, 30));
    go_on.get_future().wait();
    send_piece(connection, event.substr(30));
    connection.wait_until_client_closes();
  });
  const auto metadata = make(settings());
  ASSERT_TRUE(advance_until(*metadata, [&] { return metadata->synced(); }));
  EXPECT_TRUE(has(*metadata, "a"));
  EXPECT_FALSE(has(*metadata, "b"));
  go_on.set_value();
  EXPECT_TRUE(advance_until(*metadata, [&] { return has(*metadata, "b"); }));
}

TEST_F(MetadataTest, GoesOnFromTheLastVersionAfterADisconnect) {
  server_.on(kPods, 200, list_of("10", {"a"}));
  server_.on(kWatch, [&](Connection& connection, const std::string& request) {
    begin_watch(connection);
    if (request.find("resourceVersion=11") == std::string::npos) {
      send_piece(connection, added("b", "11"));
      return connection.reset();
    }
    send_piece(connection, added("c", "12"));
    connection.wait_until_client_closes();
  });
  const auto metadata = make(settings());
  EXPECT_TRUE(advance_until(*metadata, [&] { return has(*metadata, "c"); }));
  EXPECT_TRUE(has(*metadata, "a") && has(*metadata, "b"));
  EXPECT_EQ(metadata->problem(), "");
}

TEST_F(MetadataTest, ListsAnewWhenItsVersionIsGone) {
  std::atomic<int> lists = 0;
  server_.on(kPods, [&](Connection& connection, const std::string&) {
    const bool first = ++lists == 1;
    connection.send(http_answer(200, first ? list_of("10", {"a"}) : list_of("99", {"b"})));
  });
  server_.on(kWatch, [&](Connection& connection, const std::string& request) {
    begin_watch(connection);
    if (request.find("resourceVersion=10") != std::string::npos) {
      send_piece(connection, recording("watch_410.jsonl"));
    }
    connection.wait_until_client_closes();
  });
  const auto metadata = make(settings());
  EXPECT_TRUE(advance_until(*metadata, [&] { return has(*metadata, "b"); }));
  EXPECT_FALSE(has(*metadata, "a"));
}

TEST_F(MetadataTest, ReadsTheTokenAgainWhenItIsRefused) {
  server_.on(kPods, [&](Connection& connection, const std::string& request) {
    if (request.find("Bearer second-secret") != std::string::npos) {
      connection.send(http_answer(200, list_of("10", {"a"})));
      return;
    }
    dir_.write("token", "second-secret");
    connection.send(http_answer(401, R"({"message":"Unauthorized"})"));
  });
  const auto metadata = make(settings());
  EXPECT_TRUE(advance_until(*metadata, [&] { return has(*metadata, "a"); }));
}

TEST_F(MetadataTest, SaysWhatToGrantAndShowsNoSecret) {
  server_.on(kPods, 403, R"({"message":"pods is forbidden"})");
  server_.on("/api/v1/nodes/", 403, "");
  const auto metadata = make(settings());
  ASSERT_TRUE(advance_until(
      *metadata, [&] { return metadata->problem().find("\"nodes\"") != std::string::npos; }));
  EXPECT_THAT(metadata->problem(), AllOf(HasSubstr("grant \"list\" on \"pods\""),
                                         HasSubstr("grant \"get\" on \"nodes\"")));
  EXPECT_FALSE(metadata->synced());
  std::string told = metadata->problem();
  for (const Lookup& lookup : metadata->lookups()) told += lookup.question + lookup.answer;
  EXPECT_THAT(told, Not(HasSubstr("secret")));
}

TEST_F(MetadataTest, AServerThatHangsKeepsNobody) {
  server_.on(kPods, [](Connection& connection, const std::string&) {
    connection.wait_until_client_closes();
  });
  const auto metadata = make(settings());
  for (int i = 0; i < 5; ++i) metadata->advance(std::chrono::milliseconds{10});
  EXPECT_FALSE(metadata->synced());
}

TEST_F(MetadataTest, AServerThatHangsIsGivenUpAndTold) {
  server_.on(kPods, [](Connection& connection, const std::string&) {
    connection.wait_until_client_closes();
  });
  MetadataSettings hasty = settings();
  hasty.timeout = std::chrono::milliseconds{50};
  const auto metadata = make(hasty);
  EXPECT_TRUE(advance_until(*metadata, [&] {
    return metadata->problem().find("nothing came from https://127.0.0.1") != std::string::npos;
  }));
}

TEST_F(MetadataTest, GarbageIsAProblemNotAPod) {
  server_.on(kPods, 200, "<html>not me</html>");
  const auto metadata = make(settings());
  EXPECT_TRUE(advance_until(*metadata, [&] { return !metadata->problem().empty(); }));
  EXPECT_THAT(metadata->problem(), HasSubstr("no list"));
}

TEST_F(MetadataTest, AnUntrustedServerGetsNoToken) {
  const warpsight::test::TestAuthority other;
  MetadataSettings wary = settings();
  wary.ca_file = other.file();
  const auto metadata = make(wary);
  EXPECT_TRUE(advance_until(*metadata, [&] { return !metadata->problem().empty(); }));
  EXPECT_THAT(metadata->problem(), HasSubstr("ca_file"));
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(MetadataTest, TheKubeletWillDo) {
  const auto metadata = make(settings("kubelet"));
  ASSERT_TRUE(advance_until(*metadata, [&] { return metadata->synced(); })) << metadata->problem();
  EXPECT_THAT(metadata->pods(), Contains(testing::Key(std::pair{"team-a", "train-0"})));
  EXPECT_THAT(metadata->pods().at({"team-b", "infer-7d9c5b6f4-x2x9k"}).workload,
              Contains(testing::Field(&Attribute::key, "k8s.replicaset.name")));
  EXPECT_THAT(kubelet_.requests(), Each(HasSubstr("Bearer first-secret")));
  kubelet_.on("/pods", 200, R"({"items":[]})");
  metadata->advance(std::chrono::milliseconds{20});
  EXPECT_THAT(metadata->pods(), Not(IsEmpty())) << "not asked again yet";
  clock_.advance(std::chrono::seconds{10});
  EXPECT_TRUE(advance_until(*metadata, [&] { return metadata->pods().empty(); }));
}

TEST_F(MetadataTest, NoTokenGoesWithoutTls) {
  FakeApiServer plain(nullptr);
  plain.on("/pods", 200, recording("kubelet_pods.json"));
  MetadataSettings settings_of_port = settings("kubelet");
  settings_of_port.kubelet = plain.url();
  const auto metadata = make(settings_of_port);
  ASSERT_TRUE(advance_until(*metadata, [&] { return metadata->synced(); }));
  EXPECT_THAT(plain.requests(), Each(Not(HasSubstr("secret"))));
}

TEST_F(MetadataTest, AutoTakesTheServerWhileItAnswers) {
  server_.on(kPods, 200, list_of("10", {"a"}));
  const auto metadata = make(settings("auto"));
  ASSERT_TRUE(advance_until(*metadata, [&] { return metadata->synced(); }));
  EXPECT_TRUE(has(*metadata, "a"));
  EXPECT_THAT(kubelet_.requests(), IsEmpty());
}

TEST_F(MetadataTest, AutoTakesTheKubeletWhereTheServerRefusesAndComesBack) {
  server_.on(kPods, 403, "");
  const auto metadata = make(settings("auto"));
  ASSERT_TRUE(advance_until(*metadata, [&] { return metadata->synced(); }));
  EXPECT_THAT(metadata->pods(), Contains(testing::Key(std::pair{"team-a", "train-0"})));
  EXPECT_THAT(metadata->problem(), HasSubstr("grant \"list\" on \"pods\""));
  server_.on(kPods, 200, list_of("10", {"a"}));
  clock_.advance(std::chrono::minutes{6});
  EXPECT_TRUE(advance_until(*metadata, [&] { return has(*metadata, "a"); }));
  EXPECT_EQ(metadata->problem(), "");
}

TEST_F(MetadataTest, AutoWaitsSomeSecondsForAServerThatIsAway) {
  MetadataSettings away = settings("auto");
  away.api = "https://" + to_string(warpsight::test::unused_address());
  const auto metadata = make(away);
  EXPECT_TRUE(advance_until(*metadata, [&] { return !metadata->problem().empty(); }));
  EXPECT_FALSE(metadata->synced());
  EXPECT_THAT(kubelet_.requests(), IsEmpty());
  clock_.advance(std::chrono::seconds{11});
  EXPECT_TRUE(advance_until(*metadata, [&] { return metadata->synced(); }));
  EXPECT_THAT(metadata->pods(), Not(IsEmpty()));
}

TEST_F(MetadataTest, AutoKnowsNothingWhereNobodyTells) {
  server_.on(kPods, 403, "");
  kubelet_.on("/pods", 403, "Forbidden");
  const auto metadata = make(settings("auto"));
  ASSERT_TRUE(advance_until(*metadata, [&] { return metadata->synced(); }));
  EXPECT_THAT(metadata->pods(), IsEmpty());
  EXPECT_THAT(metadata->problem(), AllOf(HasSubstr("\"pods\""), HasSubstr("nodes/proxy")));
}

TEST_F(MetadataTest, AutoKeepsWhatTheServerSaidWhenAllFallSilent) {
  server_.on(kPods, 200, list_of("10", {"a"}));
  kubelet_.on("/pods", 403, "");
  server_.on(kWatch, [](Connection& connection, const std::string&) {
    connection.send(http_answer(500, ""));
  });
  const auto metadata = make(settings("auto"));
  ASSERT_TRUE(advance_until(*metadata, [&] { return metadata->synced(); }));
  clock_.advance(std::chrono::seconds{60});
  EXPECT_TRUE(
      advance_until(*metadata, [&] { return !request_with(kubelet_, "GET /pods").empty(); }));
  metadata->advance(std::chrono::milliseconds{100});
  EXPECT_TRUE(has(*metadata, "a"));
}

TEST_F(MetadataTest, NoneIsKnownAtOnce) {
  const auto metadata = make(settings("none"));
  EXPECT_TRUE(metadata->synced());
  EXPECT_FALSE(metadata->advance(kLong));
  EXPECT_THAT(metadata->pods(), IsEmpty());
  EXPECT_EQ(metadata->problem(), "");
}

TEST_F(MetadataTest, SaysWhatIsMissing) {
  const Surroundings nowhere{.variable = [](const char*) { return std::string(); },
                             .account = dir_.path() + "/none"};
  MetadataSettings bare{.mode = "api", .node_name = "n1"};
  EXPECT_THAT(describe(make_metadata(bare, clock_, nowhere).error()), HasSubstr("set api:"));
  bare.mode = "auto";
  const auto without_api = make_metadata(bare, clock_, nowhere);
  ASSERT_TRUE(without_api);
  EXPECT_THAT((*without_api)->problem(), HasSubstr("set api:"));
  bare.node_name = "";
  EXPECT_THAT(describe(make_metadata(bare, clock_, nowhere).error()), HasSubstr("node_name"));
  EXPECT_THAT(describe(make_metadata({.mode = "x", .node_name = "n"}, clock_, nowhere).error()),
              HasSubstr("use auto"));
}

}  // namespace
}  // namespace warpsight::kubernetes

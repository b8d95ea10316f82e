#include "sources/kubernetes/api/list_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sources/kubernetes/api/recordings_test.h"

namespace warpsight::kubernetes {
namespace {

using Standing = ListWatch::Standing;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class NameStore final : public ObjectStore {
 public:
  void list_begins() override { listed_.clear(); }
  void list_ends() override { names_ = listed_; }
  void put(Json object) override {
    const std::string name(object["metadata"]["name"].text());
    listed_.insert(name);
    names_.insert(name);
  }
  void remove(Json object) override {
    names_.erase(std::string(object["metadata"]["name"].text()));
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  std::set<std::string> listed_;
  std::set<std::string> names_;
};

std::string page(const std::string& version, std::initializer_list<std::string> names,
                 const std::string& more = {}) {
  std::string items;
  for (const std::string& name : names) {
    items += (items.empty() ? "" : ",") + (R"({"metadata":{"name":")" + name + R"("}})");
  }
  return R"({"kind":"PodList","metadata":{"resourceVersion":")" + version + R"(","continue":")" +
         more + R"("},"items":[)" + items + "]}";
}

std::string event(const std::string& type, const std::string& name, const std::string& version) {
  return R"({"type":")" + type + R"(","object":{"metadata":{"name":")" + name +
         R"(","resourceVersion":")" + version + R"("}}})" + "\n";
}

TransportFailure lost() {
  return {.kind = TransportFailure::Kind::reset, .message = "the connection is gone"};
}

class ListWatchTest : public testing::Test {
 protected:
  SteadyTime now() const { return clock_.steady(); }
  // The path that is asked for now; empty: none is.
  std::string asked() {
    const auto question = watch_.next(now());
    return question ? question->path : "";
  }
  void answer(int status, const std::string& body) {
    watch_.begun(status);
    if (watch_.heard(body, now())) watch_.ended(now());
  }
  void list(const std::string& version, std::initializer_list<std::string> names) {
    ASSERT_THAT(asked(), Not(HasSubstr("watch=true")));
    answer(200, page(version, names));
  }
  void begin_watch() {
    ASSERT_THAT(asked(), HasSubstr("watch=true"));
    watch_.begun(200);
  }
  // How long until something is asked.
  Duration wait() {
    for (Duration waited{}; waited <= minutes{20}; waited += seconds{1}) {
      if (watch_.next(now())) return waited;
      clock_.advance(seconds{1});
    }
    return Duration::max();
  }

  ManualClock clock_;
  NameStore store_;
  ListWatch watch_{{.path = "/api/v1/pods",
                    .field_selector = "spec.nodeName=n1",
                    .right = {.verbs = "list, watch", .resource = "pods", .group = ""}},
                   store_};
};

TEST_F(ListWatchTest, ListsThenWatchesFromThere) {
  EXPECT_EQ(asked(), "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&limit=250&resourceVersion=0");
  EXPECT_FALSE(watch_.listed());
  answer(200, page("17", {"a", "b"}));
  EXPECT_TRUE(watch_.listed());
  EXPECT_EQ(watch_.standing(), Standing::good);
  EXPECT_THAT(store_.names(), ElementsAre("a", "b"));
  const auto question = watch_.next(now());
  ASSERT_TRUE(question);
  EXPECT_TRUE(question->lasting);
  EXPECT_THAT(question->path, HasSubstr("watch=true&allowWatchBookmarks=true&timeoutSeconds="));
  EXPECT_THAT(question->path, HasSubstr("&resourceVersion=17"));
}

TEST_F(ListWatchTest, ReadsPageAfterPage) {
  asked();
  answer(200, page("17", {"a"}, "next+page="));
  EXPECT_FALSE(watch_.listed());
  EXPECT_THAT(asked(), HasSubstr("&continue=next%2Bpage%3D"));
  answer(200, page("17", {"b"}));
  EXPECT_TRUE(watch_.listed());
  EXPECT_THAT(store_.names(), ElementsAre("a", "b"));
}

TEST_F(ListWatchTest, APageThatIsTooOldBeginsTheListAnew) {
  asked();
  answer(200, page("17", {"a"}, "token"));
  asked();
  answer(410, test::recording("list_continue_410.json"));
  EXPECT_THAT(asked(), Not(HasSubstr("continue=")));
  answer(200, page("18", {"b"}));
  EXPECT_THAT(store_.names(), ElementsAre("b"));
}

TEST_F(ListWatchTest, FollowsEveryChange) {
  list("17", {"a", "b"});
  begin_watch();
  EXPECT_TRUE(watch_.heard(event("ADDED", "c", "18") + event("DELETED", "a", "19"), now()));
  EXPECT_TRUE(watch_.heard(event("MODIFIED", "b", "20"), now()));
  EXPECT_THAT(store_.names(), ElementsAre("b", "c"));
  clock_.advance(minutes{1});
  watch_.failed(lost(), now());
  EXPECT_THAT(asked(), HasSubstr("resourceVersion=20"));
  EXPECT_EQ(watch_.standing(), Standing::good) << "a watch that broke off is gone on with";
}

TEST_F(ListWatchTest, BookmarksMoveTheVersionOn) {
  list("17", {"a"});
  begin_watch();
  watch_.heard(event("BOOKMARK", "", "400"), now());
  clock_.advance(minutes{9});
  watch_.ended(now());
  EXPECT_THAT(asked(), HasSubstr("resourceVersion=400"));
  EXPECT_THAT(store_.names(), ElementsAre("a"));
}

TEST_F(ListWatchTest, EventsComeInPiecesOfAnySize) {
  const std::string events = test::recording("watch_pods.jsonl");
  ASSERT_THAT(events, HasSubstr("BOOKMARK"));
  for (const size_t size : {size_t{1}, size_t{7}, size_t{1000}, events.size()}) {
    NameStore store;
    ListWatch watch({.path = "/api/v1/pods", .field_selector = "x=y"}, store);
    watch.next(now());
    watch.begun(200);
    watch.heard(page("1", {"stays"}), now());
    watch.ended(now());
    watch.next(now());
    watch.begun(200);
    for (size_t at = 0; at < events.size(); at += size) {
      ASSERT_TRUE(watch.heard(std::string_view(events).substr(at, size), now()));
    }
    EXPECT_THAT(store.names(), ElementsAre("stays")) << "what was added was deleted in the end";
  }
}

TEST_F(ListWatchTest, GoneAsAnEventListsAnew) {
  list("17", {"a"});
  begin_watch();
  EXPECT_FALSE(watch_.heard(test::recording("watch_410.jsonl"), now()));
  EXPECT_THAT(asked(), HasSubstr("resourceVersion=0"));
  answer(200, page("500", {"b"}));
  EXPECT_THAT(store_.names(), ElementsAre("b"));
}

TEST_F(ListWatchTest, GoneAsAStatusListsAnewAndAsksForTheLatestTheSecondTime) {
  list("17", {"a"});
  asked();
  answer(410, "");
  EXPECT_THAT(asked(), HasSubstr("resourceVersion=0"));
  answer(200, page("18", {"a"}));
  asked();
  answer(410, "");
  EXPECT_GT(wait(), Duration::zero()) << "a server that goes on so is not hurried";
  EXPECT_THAT(asked(), Not(HasSubstr("resourceVersion=")));
}

TEST_F(ListWatchTest, WaitsLongerAfterEachFailure) {
  std::vector<Duration> waits;
  asked();
  for (int i = 0; i < 8; ++i) {
    watch_.failed(lost(), now());
    waits.push_back(wait());
  }
  EXPECT_THAT(waits, ElementsAre(seconds{0}, seconds{1}, seconds{2}, seconds{4}, seconds{8},
                                 seconds{16}, seconds{30}, seconds{30}));
  EXPECT_EQ(watch_.standing(), Standing::failing);
  EXPECT_THAT(watch_.problem(), HasSubstr("the connection is gone"));
  list("17", {});
  EXPECT_THAT(watch_.problem(), IsEmpty());
}

TEST_F(ListWatchTest, AWatchThatEndsAtOnceEachTimeIsNotHurried) {
  list("17", {});
  Duration waited{};
  for (int i = 0; i < 4; ++i) {
    waited += wait();
    watch_.begun(200);
    watch_.ended(now());
  }
  EXPECT_GE(waited, seconds{3});
}

TEST_F(ListWatchTest, ForbiddenSaysWhatToGrantAndWaits) {
  asked();
  answer(403,
         R"({"kind":"Status","message":"pods is forbidden: User \"x\" cannot list","code":403})");
  EXPECT_EQ(watch_.standing(), Standing::forbidden);
  EXPECT_THAT(watch_.problem(), HasSubstr("User \"x\" cannot list"));
  EXPECT_THAT(watch_.problem(), HasSubstr("grant \"list\" on \"pods\""));
  EXPECT_EQ(wait(), minutes{5});
  list("17", {});
  asked();
  answer(403, "");
  EXPECT_THAT(watch_.problem(), HasSubstr("grant \"watch\" on \"pods\""));
}

TEST_F(ListWatchTest, UnauthorizedIsTriedAgainAtOnceThenSlower) {
  asked();
  answer(401, "");
  EXPECT_EQ(watch_.standing(), Standing::unauthorized);
  EXPECT_THAT(watch_.problem(), HasSubstr("token_file"));
  EXPECT_EQ(wait(), seconds{0});
  answer(401, "");
  EXPECT_EQ(wait(), seconds{1});
}

TEST_F(ListWatchTest, ABusyServerDoesNotLoseThePlace) {
  list("17", {"a"});
  asked();
  answer(429, "");
  EXPECT_THAT(asked(), HasSubstr("watch=true"));
  answer(503, "");
  wait();
  EXPECT_THAT(asked(), HasSubstr("resourceVersion=17"));
}

TEST_F(ListWatchTest, ListsAnewNowAndThen) {
  list("17", {"a"});
  begin_watch();
  clock_.advance(minutes{31});
  watch_.ended(now());
  EXPECT_THAT(asked(), Not(HasSubstr("watch=true")));
}

TEST_F(ListWatchTest, GarbageIsNoEvent) {
  list("17", {"a"});
  begin_watch();
  EXPECT_FALSE(watch_.heard("<html>\n", now()));
  EXPECT_EQ(watch_.standing(), Standing::failing);
  EXPECT_THAT(watch_.problem(), HasSubstr("no event"));
  EXPECT_THAT(asked(), Not(HasSubstr("watch=true"))) << "who knows what was missed";
  answer(200, "<html>");
  EXPECT_THAT(watch_.problem(), HasSubstr("no list"));
  EXPECT_THAT(store_.names(), ElementsAre("a")) << "what was known stays";
}

TEST_F(ListWatchTest, ALineThatNeverEndsIsGivenUp) {
  list("17", {"a"});
  begin_watch();
  const std::string piece(size_t{1} << 20, 'x');
  int pieces = 0;
  while (watch_.heard(piece, now()) && pieces < 100) ++pieces;
  EXPECT_LT(pieces, 10);
  EXPECT_THAT(watch_.problem(), HasSubstr("larger than allowed"));
}

TEST_F(ListWatchTest, AnErrorThatIsNotGoneListsAnew) {
  list("17", {"a"});
  begin_watch();
  EXPECT_FALSE(watch_.heard(R"({"type":"ERROR","object":{"code":500}})"
                            "\n",
                            now()));
  EXPECT_THAT(asked(), Not(HasSubstr("watch=true")));
}

TEST_F(ListWatchTest, TellsWhatWasAsked) {
  EXPECT_EQ(watch_.lookup().answer, "none yet");
  list("17", {"a"});
  EXPECT_THAT(watch_.lookup().question, StartsWith("list and watch /api/v1/pods"));
  EXPECT_THAT(watch_.lookup().answer, HasSubstr("17"));
}

}  // namespace
}  // namespace warpsight::kubernetes

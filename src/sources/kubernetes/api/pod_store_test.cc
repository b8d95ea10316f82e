#include "sources/kubernetes/api/pod_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/kubernetes/api/recordings_test.h"

namespace warpsight::kubernetes {
namespace {

using test::Parsed;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string pod_text(const std::string& name, const std::string& uid, const std::string& rest = {},
                     const std::string& owner = {}) {
  return fmt::format(R"({{"metadata":{{"name":"{}","namespace":"s","uid":"{}",)"
                     R"("labels":{{"pod-template-hash":"5c9"}},"ownerReferences":[{}]}}{}}})",
                     name, uid, owner, rest);
}

std::string owner_text(const std::string& version, const std::string& kind,
                       const std::string& name) {
  return fmt::format(
      R"({{"apiVersion":"{}","kind":"{}","name":"{}","uid":"u-{}","controller":true}})", version,
      kind, name, name);
}

Pod pod_of(const std::string& text) { return read_pod(*Parsed(text)).value().pod; }

TEST(PodJson, ReadsWhatARealServerWrites) {
  const Parsed list(test::recording("api_pods.json"));
  std::map<std::string, DescribedPod> pods;
  (*list)["items"].for_each([&](Json one) {
    auto described = read_pod(one);
    ASSERT_TRUE(described);
    pods.emplace(described->pod.name, *described);
  });
  const Pod& train = pods.at("train-0").pod;
  EXPECT_EQ(train.space, "team-a");
  EXPECT_FALSE(train.ended);
  EXPECT_THAT(train.labels, testing::Contains(Attribute{"team", "vision"}));
  ASSERT_THAT(train.containers, SizeIs(2));
  for (const PodContainer& container : train.containers) EXPECT_THAT(container.id, SizeIs(64));
  ASSERT_THAT(pods.at("sidecar-0").pod.containers, SizeIs(3)) << "those of init count";
  EXPECT_TRUE(pods.at("crashed").pod.ended);
  EXPECT_EQ(pods.at("raycluster-demo-head-9k2lm").controller->kind, "RayCluster");
  EXPECT_EQ(pods.at("raycluster-demo-head-9k2lm").controller->group, "ray.io");
}

TEST(PodJson, ServerAndKubeletSpeakOfTheSamePods) {
  std::map<std::string, std::string> uids;
  const Parsed server(test::recording("api_pods.json"));
  (*server)["items"].for_each([&](Json one) {
    const Pod pod = read_pod(one).value().pod;
    uids[pod.space + "/" + pod.name] = pod.uid;
  });
  const Parsed kubelet(test::recording("kubelet_pods.json"));
  size_t compared = 0;
  (*kubelet)["items"].for_each([&](Json one) {
    const Pod pod = read_pod(one).value().pod;
    EXPECT_EQ(uids[pod.space + "/" + pod.name], pod.uid) << pod.name;
    ++compared;
  });
  EXPECT_EQ(compared, uids.size());
}

TEST(PodJson, AContainerThatIsNotYetMadeHasNoId) {
  const Pod pod = pod_of(pod_text("p", "1", R"(,"spec":{"containers":[{"name":"c"}]},
      "status":{"ephemeralContainerStatuses":[{"name":"e","containerID":"cri-o://77"}]})"));
  EXPECT_THAT(pod.containers, ElementsAre(PodContainer{"c", ""}, PodContainer{"e", "77"}));
}

TEST(PodJson, APodThatIsBeingDeletedStillHasItsDevices) {
  const Parsed pod(R"({"metadata":{"name":"p","namespace":"s","uid":"1",
      "deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Running"}})");
  EXPECT_FALSE(read_pod(*pod)->pod.ended);
}

TEST(PodJson, AMirroredPodHasTheUidThatItsProcessesHave) {
  const Parsed pod(R"({"metadata":{"name":"p","namespace":"s","uid":"of-the-copy","annotations":{
      "kubernetes.io/config.mirror":"abc","kubernetes.io/config.hash":"abc"}}})");
  EXPECT_EQ(read_pod(*pod)->pod.uid, "abc");
}

TEST(PodJson, WhatIsTooLongIsLeftOut) {
  const std::string text(5000, 'x');
  const Pod pod = pod_of(R"({"metadata":{"name":"p","namespace":"s","uid":"1","labels":{"a":")" +
                         text + R"(","b":"c"}}})");
  EXPECT_THAT(pod.labels, ElementsAre(Attribute{"b", "c"}));
  EXPECT_FALSE(read_pod(*Parsed(pod_text(text, "1"))));
}

TEST(PodJson, APodMayHaveHundredsOfLabels) {
  std::string labels;
  for (int i = 0; i < 300; ++i) labels += fmt::format(R"("l{}":"x",)", i);
  const Pod pod = pod_of(R"({"metadata":{"name":"p","namespace":"s","uid":"1","labels":{)" +
                         labels + R"("last":"y"}}})");
  EXPECT_THAT(pod.labels, testing::Contains(Attribute{"last", "y"}));
}

TEST(PodJson, WhatIsNoPodIsNone) {
  for (const char* text : {"[]", "{}", "3", R"({"metadata":{"name":5,"namespace":{},"uid":[]}})"}) {
    EXPECT_FALSE(read_pod(*Parsed(text))) << text;
  }
}

class PodStoreTest : public testing::Test {
 protected:
  void put(const std::string& text) { store_.put(*Parsed(text)); }
  std::vector<Attribute> workload(const std::string& name) {
    return store_.pods().at({"s", name}).workload;
  }
  // The path of the next lookup, which is answered so.
  std::string answer(int status, const std::string& body) {
    const auto question = owners_.next(clock_.steady());
    if (!question) return "";
    owners_.begun(status);
    owners_.heard(body, clock_.steady());
    owners_.ended(clock_.steady());
    store_.refresh();
    return question->path;
  }

  ManualClock clock_;
  OwnerLookups owners_;
  PodStore store_{&owners_};
};

std::string object_text(const std::string& uid, const std::string& owner) {
  return fmt::format(R"({{"metadata":{{"uid":"{}","ownerReferences":[{}]}}}})", uid, owner);
}

TEST_F(PodStoreTest, WhatIsNotInTheListIsGone) {
  put(pod_text("a", "1"));
  put(pod_text("b", "2"));
  store_.list_begins();
  put(pod_text("b", "2"));
  EXPECT_THAT(store_.pods(), SizeIs(2)) << "until the list has ended";
  store_.list_ends();
  EXPECT_THAT(store_.pods(), SizeIs(1));
}

TEST_F(PodStoreTest, TellsOnlyChanges) {
  put(pod_text("a", "1"));
  const uint64_t before = store_.changes();
  put(pod_text("a", "1", R"(,"status":{"conditions":[]})"));
  EXPECT_EQ(store_.changes(), before) << "nothing that is told changed";
  put(pod_text("a", "1", R"(,"status":{"phase":"Failed"})"));
  EXPECT_GT(store_.changes(), before);
}

TEST_F(PodStoreTest, TheEndOfAnotherPodOfThatNameIsNotItsEnd) {
  put(pod_text("a", "new"));
  store_.remove(*Parsed(pod_text("a", "old")));
  EXPECT_THAT(store_.pods(), SizeIs(1));
  store_.remove(*Parsed(pod_text("a", "new")));
  EXPECT_THAT(store_.pods(), IsEmpty());
}

TEST_F(PodStoreTest, HoldsOnlySoMany) {
  store_.list_begins();
  for (size_t i = 0; i < PodStore::kMostPods + 5; ++i) {
    put(pod_text("p" + std::to_string(i), std::to_string(i)));
  }
  store_.list_ends();
  EXPECT_THAT(store_.pods(), SizeIs(PodStore::kMostPods));
  EXPECT_EQ(store_.left_out(), 5U);
}

TEST_F(PodStoreTest, AsksForTheDeploymentOnceForAllItsPods) {
  const std::string set = owner_text("apps/v1", "ReplicaSet", "web-5c9");
  put(pod_text("a", "1", {}, set));
  put(pod_text("b", "2", {}, set));
  EXPECT_THAT(workload("a"), ElementsAre(Attribute{"k8s.replicaset.name", "web-5c9"}));
  EXPECT_FALSE(owners_.settled());
  EXPECT_EQ(answer(200, object_text("u-web-5c9", owner_text("apps/v1", "Deployment", "front"))),
            "/apis/apps/v1/namespaces/s/replicasets/web-5c9");
  EXPECT_TRUE(owners_.settled());
  for (const char* pod : {"a", "b"}) {
    EXPECT_THAT(workload(pod), ElementsAre(Attribute{"k8s.replicaset.name", "web-5c9"},
                                           Attribute{"k8s.deployment.name", "front"}));
  }
  put(pod_text("c", "3", {}, set));
  EXPECT_THAT(workload("c"), SizeIs(2)) << "known already";
  EXPECT_FALSE(owners_.next(clock_.steady()));
}

TEST_F(PodStoreTest, NamesTheCronJobOfAJobAndWhateverElseIsAbove) {
  put(pod_text("a", "1", {}, owner_text("batch/v1", "Job", "nightly-1")));
  EXPECT_EQ(answer(200, object_text("u-nightly-1", owner_text("batch/v1", "CronJob", "nightly"))),
            "/apis/batch/v1/namespaces/s/jobs/nightly-1");
  EXPECT_THAT(workload("a"), ElementsAre(Attribute{"k8s.job.name", "nightly-1"},
                                         Attribute{"k8s.cronjob.name", "nightly"}));
  put(pod_text("b", "2", {}, owner_text("apps/v1", "ReplicaSet", "r-1")));
  answer(200, object_text("u-r-1", owner_text("argoproj.io/v1alpha1", "Rollout", "r")));
  EXPECT_THAT(workload("b"), ElementsAre(Attribute{"k8s.replicaset.name", "r-1"},
                                         Attribute{"k8s.owner.kind", "Rollout"},
                                         Attribute{"k8s.owner.name", "r"}));
}

TEST_F(PodStoreTest, OtherOwnersAreNamedAndNeverFetched) {
  put(pod_text("a", "1", {}, owner_text("apps/v1", "StatefulSet", "db")));
  put(pod_text("b", "2", {}, owner_text("apps/v1", "DaemonSet", "agent")));
  put(pod_text("c", "3", {}, owner_text("batch.volcano.sh/v1alpha1", "Job", "train")));
  EXPECT_FALSE(owners_.next(clock_.steady()));
  EXPECT_THAT(workload("a"), ElementsAre(Attribute{"k8s.statefulset.name", "db"}));
  EXPECT_THAT(workload("b"), ElementsAre(Attribute{"k8s.daemonset.name", "agent"}));
  EXPECT_THAT(workload("c"), ElementsAre(Attribute{"k8s.owner.kind", "Job"},
                                         Attribute{"k8s.owner.name", "train"}));
}

TEST_F(PodStoreTest, OneRefusalIsEnoughForAWhile) {
  for (const char* name : {"web-5c9", "api-77"}) {
    put(pod_text(name, name, {}, owner_text("apps/v1", "ReplicaSet", name)));
  }
  answer(403, R"({"message":"cannot get resource"})");
  EXPECT_FALSE(owners_.next(clock_.steady())) << "the other one is not asked for";
  store_.refresh();
  EXPECT_TRUE(owners_.settled());
  EXPECT_THAT(owners_.problem(), HasSubstr("grant \"get\" on \"replicasets\""));
  EXPECT_THAT(owners_.problem(), HasSubstr("\"apps\""));
  EXPECT_THAT(workload("web-5c9"), ElementsAre(Attribute{"k8s.replicaset.name", "web-5c9"}))
      << "what is above it is not guessed from its name";
  EXPECT_THAT(workload("api-77"), SizeIs(1));
  clock_.advance(std::chrono::minutes{6});
  owners_.next(clock_.steady());
  store_.refresh();
  EXPECT_NE(answer(200, object_text("u-web-5c9", owner_text("apps/v1", "Deployment", "web"))), "");
  EXPECT_THAT(owners_.problem(), IsEmpty());
}

TEST_F(PodStoreTest, AnOwnerThatIsGoneIsNotAskedForAgainAtOnce) {
  put(pod_text("a", "1", {}, owner_text("apps/v1", "ReplicaSet", "web-5c9")));
  answer(404, "");
  EXPECT_FALSE(owners_.next(clock_.steady()));
  EXPECT_THAT(workload("a"), SizeIs(1));
  EXPECT_THAT(owners_.problem(), IsEmpty());
}

TEST_F(PodStoreTest, AnotherObjectOfThatNameIsNotTheOwner) {
  put(pod_text("a", "1", {}, owner_text("apps/v1", "ReplicaSet", "web-5c9")));
  answer(200, object_text("another", owner_text("apps/v1", "Deployment", "front")));
  EXPECT_THAT(workload("a"), SizeIs(1));
}

TEST_F(PodStoreTest, AsksForSomeOwnersAtATime) {
  for (int i = 0; i < 100; ++i) {
    const std::string name = "r" + std::to_string(i);
    put(pod_text(name, name, {}, owner_text("apps/v1", "ReplicaSet", name)));
  }
  int asked = 0;
  while (!answer(404, "").empty()) ++asked;
  EXPECT_LT(asked, 100);
  owners_.replenish();
  while (!answer(404, "").empty()) ++asked;
  EXPECT_EQ(asked, 100);
}

TEST(PodStoreAlone, TellsWhatThePodItselfSays) {
  PodStore store(nullptr);
  store.put(*Parsed(pod_text("a", "1", {}, owner_text("apps/v1", "ReplicaSet", "web-5c9"))));
  EXPECT_THAT(store.pods().at({"s", "a"}).workload,
              ElementsAre(Attribute{"k8s.replicaset.name", "web-5c9"}));
}

}  // namespace
}  // namespace warpsight::kubernetes

#include "app/simulated_owners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight {
namespace {

using testing::ElementsAre;
using testing::Field;

TEST(SimulatedOwners, HoldWholeGpusOrOneInstanceAndSayThatTheyAreSimulated) {
  const auto scenario = simulate::parse_scenario(R"(
gpus: [{count: 2}, {mig: [{profile: 1g.10gb, gi: 9}, {profile: 2g.20gb, gi: 3}]}]
owners:
  - {kind: slurm_job, gpu: [0, 1], pids: [71, 72], attributes: {slurm.job.id: 7}}
  - {kind: pod, gpu: 2, mig: 1, attributes: {k8s.pod.name: web-0}}
)",
                                                 "test.yaml");
  ASSERT_TRUE(scenario.has_value()) << describe(scenario.error());
  const Ownership told = simulated_owners(*scenario);

  ASSERT_EQ(told.owners.size(), 2U);
  const std::string job = told.owners[0].key, pod = told.owners[1].key;
  EXPECT_NE(job, pod);
  EXPECT_EQ(told.owners[0].kind, OwnerKind::slurm_job);
  EXPECT_THAT(told.owners[1].attributes, ElementsAre(Attribute{"k8s.pod.name", "web-0"}));
  const auto gpu = [](std::string index, int instance, int compute) {
    return DeviceName{DeviceName::Form::index, std::move(index), "nvidia", instance, compute};
  };
  EXPECT_THAT(told.holdings, ElementsAre(Holding{job, gpu("0", -1, -1), "simulated"},
                                         Holding{job, gpu("1", -1, -1), "simulated"},
                                         Holding{pod, gpu("2", 3, 0), "simulated"}));
  EXPECT_THAT(told.members, ElementsAre(Field(&Member::pid, 71), Field(&Member::pid, 72)));
  EXPECT_EQ(told.members[0].evidence, "simulated");
  EXPECT_THAT(told.members[0].owners, ElementsAre(job));
}

}  // namespace
}  // namespace warpsight

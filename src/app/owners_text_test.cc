#include "app/owners_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/owners_json.h"
#include "wire/json_text.h"

namespace warpsight {
namespace {

using testing::HasSubstr;
using testing::Not;

identity::OwnersReport two_gpus() {
  identity::OwnersReport report;
  identity::DeviceOwners& busy = report.devices.emplace_back();
  busy.attributes = {{"gpu.index", "0"}, {"gpu.model", "H100"}, {"gpu.uuid", "GPU-a"}};
  busy.utilization = 0.9;
  busy.memory_used = 3.0 * (1 << 30);
  identity::DeviceOwner& owner = busy.owners.emplace_back();
  owner.kind = OwnerKind::pod;
  owner.name = "ml/train/main";
  owner.tenant = "research";
  owner.attributes = {{"k8s.pod.name", "train"}};
  owner.held_by = {"pod_resources"};
  owner.used_by = {"cgroup"};
  owner.memory = 2.0 * (1 << 30);
  owner.processes = {{"11", "python3", "cgroup", 2.0 * (1 << 30)}};
  busy.unknown = {{"99", "stranger"}};
  report.devices.emplace_back().attributes = {{"gpu.index", "1"}};
  report.lookups = {{"kubernetes", {{"pod-resources List", "1 pod, 1 device"}}}};
  return report;
}

TEST(OwnersText, NamesHolderUserEvidenceAndWhatIsUnknown) {
  const std::string text = owners_text(two_gpus(), false);
  EXPECT_THAT(text, HasSubstr("GPU 0  H100  GPU-a  busy 90 %, memory 3.0 GiB of not known"));
  EXPECT_THAT(text, HasSubstr("ml/train/main  holds it (pod_resources) and uses it (cgroup)"));
  EXPECT_THAT(text, HasSubstr("tenant research"));
  EXPECT_THAT(text, HasSubstr("python3[11]  2.0 GiB  known by cgroup"));
  EXPECT_THAT(text, HasSubstr("nobody could tell"));
  EXPECT_THAT(text, HasSubstr("stranger[99]"));
  EXPECT_THAT(text, HasSubstr("  nobody\n")) << "the second GPU";
  EXPECT_THAT(text, Not(HasSubstr("List")));
}

TEST(OwnersText, SaysWhenAJobHoldsWithoutUsingAndUsesWithoutHolding) {
  identity::OwnersReport report = two_gpus();
  identity::DeviceOwner& owner = report.devices[0].owners[0];
  owner.used_by.clear();
  EXPECT_THAT(owners_text(report, false), HasSubstr("no process of it is there"));
  owner.held_by.clear();
  owner.used_by = {"cgroup"};
  EXPECT_THAT(owners_text(report, false), HasSubstr("was not given it but uses it (cgroup)"));
  owner.kind = OwnerKind::process;
  EXPECT_THAT(owners_text(report, false), Not(HasSubstr("was not given it")));
}

TEST(OwnersText, ExplainsEachLookup) {
  EXPECT_THAT(owners_text(two_gpus(), true),
              HasSubstr("kubernetes\n  pod-resources List\n    1 pod, 1 device\n"));
}

TEST(OwnersJson, HoldsWhatTheTextHolds) {
  std::string out;
  append_owners_json(out, two_gpus());
  JsonText text;
  const auto top = text.parse(out);
  ASSERT_TRUE(top) << out;
  ASSERT_EQ((*top)["devices"].size(), 2U);
  std::string seen;
  (*top)["devices"].for_each([&](Json device) {
    device["owners"].for_each([&](Json owner) {
      seen += std::string(owner["name"].text()) + " " +
              std::string(owner["attributes"]["k8s.pod.name"].text());
      owner["held_by"].for_each([&](Json how) { seen += " " + std::string(how.text()); });
      owner["processes"].for_each([&](Json p) { seen += " " + std::string(p["pid"].text()); });
    });
    device["unknown_processes"].for_each(
        [&](Json p) { seen += " unknown " + std::string(p["pid"].text()); });
  });
  EXPECT_EQ(seen, "ml/train/main train pod_resources 11 unknown 99");
  EXPECT_EQ((*top)["lookups"]["kubernetes"].size(), 1U);
}

}  // namespace
}  // namespace warpsight

#include "sources/kubernetes/api/resource_slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/kubernetes/api/recordings_test.h"
#include "sources/kubernetes/api/slice_watch.h"

namespace warpsight::kubernetes {
namespace {

using test::Parsed;
using testing::HasSubstr;
using Form = DeviceName::Form;

std::optional<DeviceName> device_of(std::string_view driver, std::string_view name,
                                    const std::string& attributes) {
  return read_device(driver, name, *Parsed(attributes));
}

DeviceName named(Form form, std::string text, std::string vendor) {
  return {.form = form, .text = std::move(text), .vendor = std::move(vendor)};
}

TEST(ReadDevice, KnowsNvidiasByTheirUuid) {
  for (const char* key : {"uuid", "gpu.nvidia.com/uuid"}) {
    EXPECT_EQ(device_of("gpu.nvidia.com", "gpu-0",
                        R"({"type":{"string":"gpu"},")" + std::string(key) +
                            R"(":{"string":"GPU-1"},"minor":{"int":3}})"),
              named(Form::uuid, "GPU-1", "nvidia"));
  }
  EXPECT_EQ(device_of("gpu.nvidia.com", "gpu-0-mig-1g10gb-19-0",
                      R"({"type":{"string":"mig"},"uuid":{"string":"MIG-1"},
                          "parentUUID":{"string":"GPU-1"}})"),
            named(Form::uuid, "MIG-1", "nvidia"));
  EXPECT_EQ(device_of("gpu.nvidia.com", "gpu-2", R"({"minor":{"int":2},"index":{"int":1}})"),
            named(Form::minor, "2", "nvidia"));
}

TEST(ReadDevice, AnInstanceThatIsYetToBeMadeIsNoDevice) {
  EXPECT_FALSE(device_of("gpu.nvidia.com", "gpu-0-mig-1g10gb-19-0",
                         R"({"type":{"string":"mig"},"parentUUID":{"string":"GPU-1"},
                             "resource.kubernetes.io/pciBusID":{"string":"0000:1b:00.0"}})"));
}

TEST(ReadDevice, KnowsAmdsByTheirAddress) {
  EXPECT_EQ(device_of("gpu.amd.com", "gpu-1-129",
                      R"({"type":{"string":"amdgpu"},"pciAddr":{"string":"0000:1B:00.0"},
                          "cardIndex":{"int":1},"renderIndex":{"int":129}})"),
            named(Form::pci, "0000:1b:00.0", "amd"));
  EXPECT_EQ(device_of("gpu.amd.com", "gpu-2-130",
                      R"({"type":{"string":"amdgpu-partition"},"renderIndex":{"int":130},
                          "parentPciAddr":{"string":"0000:1b:00.0"}})"),
            named(Form::minor, "130", "amd"));
}

TEST(ReadDevice, KnowsIntelsByTheirName) {
  EXPECT_EQ(device_of("gaudi.intel.com", "0000-0f-00-0-0x1020",
                      R"({"serial":{"string":"AN123"},"model":{"string":"Gaudi3"}})"),
            named(Form::pci, "0000:0f:00.0", "intel"));
  EXPECT_EQ(device_of("gpu.intel.com", "x",
                      R"({"resource.kubernetes.io/pciBusID":{"string":"0000:03:00.0"}})"),
            named(Form::pci, "0000:03:00.0", "intel"));
  EXPECT_FALSE(device_of("gaudi.intel.com", "0000-0g-00-0-0x1020", "{}"));
  EXPECT_FALSE(device_of("gaudi.intel.com", "short", "{}"));
}

TEST(ResourceSlices, ReadsEveryVersion) {
  for (const char* file : {"api_resourceslices_v1.json", "api_resourceslices_v1beta1.json"}) {
    const Parsed list(test::recording(file));
    ResourceSlices slices;
    slices.list_begins();
    (*list)["items"].for_each([&](Json slice) { slices.put(slice); });
    slices.list_ends();
    const auto device = slices.device("gpu.nvidia.com", "gpu-node-a", "gpu-6");
    ASSERT_TRUE(device) << file;
    EXPECT_THAT(device->text, HasSubstr("GPU-"));
    EXPECT_FALSE(slices.device("gpu.nvidia.com", "gpu-node-a", "gpu-99"));
    EXPECT_FALSE(slices.device("gpu.amd.com", "gpu-node-a", "gpu-6"));
  }
}

std::string slice(const std::string& name, int generation, const std::string& uuid) {
  return R"({"metadata":{"name":")" + name + R"("},"spec":{"driver":"d","pool":{"name":"p",
      "generation":)" +
         std::to_string(generation) +
         R"(},"devices":[{"name":"gpu-0","attributes":{"uuid":{"string":")" + uuid + R"("}}}]}})";
}

TEST(ResourceSlices, TheNewerGenerationOfAPoolCounts) {
  ResourceSlices slices;
  slices.put(*Parsed(slice("a", 2, "new")));
  slices.put(*Parsed(slice("b", 1, "old")));
  EXPECT_EQ(slices.device("d", "p", "gpu-0")->text, "new");
  slices.remove(*Parsed(slice("a", 2, "new")));
  EXPECT_EQ(slices.device("d", "p", "gpu-0")->text, "old");
  slices.list_begins();
  slices.list_ends();
  EXPECT_FALSE(slices.device("d", "p", "gpu-0"));
}

TEST(ResourceSlices, TellsOnlyChanges) {
  ResourceSlices slices;
  slices.put(*Parsed(slice("a", 1, "x")));
  const uint64_t before = slices.changes();
  slices.put(*Parsed(slice("a", 1, "x")));
  EXPECT_EQ(slices.changes(), before);
}

class SliceWatchTest : public testing::Test {
 protected:
  std::string asked() {
    const auto question = watch_.next(clock_.steady());
    return question ? question->path : "";
  }
  void answer(int status, const std::string& body) {
    watch_.begun(status);
    watch_.heard(body, clock_.steady());
    watch_.ended(clock_.steady());
  }

  ManualClock clock_;
  SliceWatch watch_{"n1"};
};

TEST_F(SliceWatchTest, TakesTheNewestVersionThatTheServerHas) {
  EXPECT_EQ(asked(), "/apis/resource.k8s.io");
  answer(200, R"({"kind":"APIGroup","versions":[{"version":"v1beta1"},{"version":"v1beta2"}]})");
  EXPECT_FALSE(watch_.settled());
  EXPECT_THAT(asked(),
              HasSubstr("/apis/resource.k8s.io/v1beta2/resourceslices?fieldSelector=spec.nodeName"
                        "%3Dn1"));
  answer(200, test::recording("api_resourceslices_v1.json"));
  EXPECT_TRUE(watch_.settled());
  EXPECT_EQ(watch_.slices().size(), 1U);
}

TEST_F(SliceWatchTest, AServerWithoutThemIsNoProblem) {
  asked();
  answer(404, "404 page not found");
  EXPECT_TRUE(watch_.settled());
  EXPECT_EQ(watch_.problem(), "");
  EXPECT_EQ(asked(), "");
  clock_.advance(std::chrono::minutes{11});
  EXPECT_NE(asked(), "");
}

TEST_F(SliceWatchTest, ForbiddenIsToldAndRemembered) {
  asked();
  answer(200, R"({"versions":[{"version":"v1"}]})");
  asked();
  answer(403, "");
  EXPECT_TRUE(watch_.settled());
  EXPECT_THAT(watch_.problem(), HasSubstr("grant \"list\" on \"resourceslices\""));
  EXPECT_EQ(asked(), "");
}

TEST_F(SliceWatchTest, AVersionThatWentIsLookedForAgain) {
  asked();
  answer(200, R"({"versions":[{"version":"v1beta1"}]})");
  asked();
  answer(404, "");
  asked();
  clock_.advance(std::chrono::minutes{11});
  EXPECT_EQ(asked(), "/apis/resource.k8s.io");
}

}  // namespace
}  // namespace warpsight::kubernetes

#include "sources/kubernetes/device_ids.h"

#include <gtest/gtest.h>

namespace warpsight::kubernetes {
namespace {

using Form = DeviceName::Form;

constexpr const char* kGpu = "GPU-0451a3f1-f345-8e4c-6592-e96c0feca949";
constexpr const char* kMig = "MIG-12aa7c89-bb90-59b7-ac2c-2e9cf0298925";

DeviceName name(Form form, std::string text, std::string vendor = "nvidia", int gi = -1,
                int ci = -1) {
  return {form, std::move(text), std::move(vendor), gi, ci};
}

struct Case {
  std::string resource;
  std::string id;
  std::optional<DeviceName> device;
};

class DeviceIdForms : public testing::TestWithParam<Case> {};

TEST_P(DeviceIdForms, NameTheDevice) {
  const auto ids = DeviceIds::make({{"example.com/h100", "nvidia"}, {"example.com/mi300", "amd"}});
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->device(GetParam().resource, GetParam().id), GetParam().device)
      << GetParam().resource << " " << GetParam().id;
}

const std::string kUuid = kGpu;
const Case kNvidia[] = {
    {"nvidia.com/gpu", kGpu, name(Form::uuid, kGpu)},
    {"nvidia.com/gpu", kUuid + "::3", name(Form::uuid, kGpu)},
    {"nvidia.com/gpu.shared", kUuid + "::0", name(Form::uuid, kGpu)},
    {"nvidia.com/mig-1g.10gb", kMig, name(Form::uuid, kMig)},
    {"nvidia.com/mig-1g.10gb.shared", std::string(kMig) + "::1", name(Form::uuid, kMig)},
    {"nvidia.com/mig-1g.5gb", "MIG-" + kUuid + "/7/0", name(Form::uuid, kGpu, "nvidia", 7, 0)},
    {"nvidia.com/mig-1g.5gb", "MIG-" + kUuid + "/7/0::2", name(Form::uuid, kGpu, "nvidia", 7, 0)},
    {"nvidia.com/gpu", "0", name(Form::index, "0")},
    {"nvidia.com/gpu", "0::3", name(Form::index, "0")},
    {"nvidia.com/gpu", "nvidia3", name(Form::minor, "3")},
    {"nvidia.com/gpu", "nvidia3/vgpu1", name(Form::minor, "3")},
    {"nvidia.com/gpu", "nvidia0/gi1", name(Form::minor, "0", "nvidia", 1)},
    {"nvidia.com/gpu", "nvidia0/gi1/vgpu2", name(Form::minor, "0", "nvidia", 1)},
    {"nvidia.com/gpu", "nvidia0/gi1/ci0", name(Form::minor, "0", "nvidia", 1, 0)},
    {"nvidia.com/GA102GL_A10", "0000:3B:00.0", name(Form::pci, "0000:3b:00.0")},
    {"nvidia.com/gpu", "00000000:3B:00.0", name(Form::pci, "0000:3b:00.0")},
    {"example.com/h100", kGpu, name(Form::uuid, kGpu)},
    {"example.com/h100", "5", name(Form::index, "5")},
};
INSTANTIATE_TEST_SUITE_P(Nvidia, DeviceIdForms, testing::ValuesIn(kNvidia));

const Case kCdi[] = {
    {"nvidia.com/gpu", "nvidia.com/gpu=0", name(Form::index, "0")},
    {"nvidia.com/gpu", "nvidia.com/gpu=" + kUuid, name(Form::uuid, kGpu)},
    {"nvidia.com/gpu", "management.nvidia.com/gpu=" + kUuid, name(Form::uuid, kGpu)},
    {"nvidia.com/gpu", "k8s.device-plugin.nvidia.com/gpu=" + kUuid, name(Form::uuid, kGpu)},
    {"amd.com/gpu", "amd.com/gpu=2", name(Form::index, "2", "amd")},
    {"nvidia.com/gpu", "nvidia.com/gpu=all", std::nullopt},
    {"nvidia.com/gpu", "nvidia.com/mig=0:1", std::nullopt},
    {"nvidia.com/gpu", "k8s.gpu.nvidia.com/device=gpu-0", std::nullopt},
    {"nvidia.com/gpu", "vendor.com/net=eth0", std::nullopt},
    {"nvidia.com/gpu", "=", std::nullopt},
    {"nvidia.com/gpu", "=/gpu", std::nullopt},
};
INSTANTIATE_TEST_SUITE_P(Cdi, DeviceIdForms, testing::ValuesIn(kCdi));

const Case kOthers[] = {
    {"amd.com/gpu", "0000:1b:00.0", name(Form::pci, "0000:1b:00.0", "amd")},
    {"amd.com/cpx_nps4", "0000:1b:00.0", name(Form::pci, "0000:1b:00.0", "amd")},
    {"example.com/mi300", "0000:1b:00.0", name(Form::pci, "0000:1b:00.0", "amd")},
    {"gpu.intel.com/i915", "card1-0", name(Form::minor, "1", "intel")},
    {"gpu.intel.com/xe", "card0", name(Form::minor, "0", "intel")},
};
INSTANTIATE_TEST_SUITE_P(OtherVendors, DeviceIdForms, testing::ValuesIn(kOthers));

const Case kNotGuessed[] = {
    // Replicas of HAMi's plugin: which GPU they are on is not the kubelet's to say.
    {"nvidia.com/gpu", kUuid + "-3", std::nullopt},
    // An IOMMU group.
    {"nvidia.com/GA102GL_A10", "60", std::nullopt},
    {"nvidia.com/mig-1g.5gb", "MIG-" + kUuid, std::nullopt},
    {"nvidia.com/mig-1g.5gb", "MIG-" + kUuid + "/7", std::nullopt},
    {"nvidia.com/mig-1g.5gb", "MIG-GPU-", std::nullopt},
    {"nvidia.com/gpu", "nvidia0/gi", std::nullopt},
    {"nvidia.com/gpu", "nvidia", std::nullopt},
    {"nvidia.com/gpu", "-1", std::nullopt},
    {"nvidia.com/gpu", "99999999999", std::nullopt},
    {"nvidia.com/gpu", "", std::nullopt},
    {"nvidia.com/gpu", "0000:zz:00.0", std::nullopt},
    {"amd.com/cpx_nps4", "amdgpu_xcp_30", std::nullopt},
    {"gpu.intel.com/i915_monitoring", "all", std::nullopt},
    {"gpu.intel.com/i915", "card1-x", std::nullopt},
    {"habana.ai/gaudi", "AN12345678", std::nullopt},
    {"qat.intel.com/cy", "0000:1b:00.0", std::nullopt},
    {"notnvidia.com/gpu", kGpu, std::nullopt},
    {"rdma/hca", "0000:1b:00.0", std::nullopt},
    {"example.com/other", kGpu, std::nullopt},
    {"", "0", std::nullopt},
};
INSTANTIATE_TEST_SUITE_P(NotGuessed, DeviceIdForms, testing::ValuesIn(kNotGuessed));

TEST(DeviceIds, VendorsThatNobodyKnowsAreAMistake) {
  const auto ids = DeviceIds::make({{"example.com/x", "nvidea"}});
  ASSERT_FALSE(ids);
  EXPECT_EQ(ids.error().message, "kubernetes: resources: unknown vendor 'nvidea' of example.com/x");
  EXPECT_EQ(ids.error().hint, "use nvidia, amd, intel or habana");
}

}  // namespace
}  // namespace warpsight::kubernetes

#include "sources/slurm/gres_conf.h"

#include <gmock/gmock.h>

namespace warpsight::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<ConfLine> lines(std::string_view text) {
  return *parse_conf(text, [](std::string_view) { return std::string(); });
}

// The files in the order of Slurm's indices, or why they are not known.
std::vector<std::string> files(std::string_view gres_conf, std::string_view gres,
                               std::string_view node = "gpu-01") {
  const auto gpus = gpus_of_node(lines(gres_conf),
                                 {.cluster = "c", .known = true, .gres = std::string(gres)}, node);
  if (!gpus) return {gpus.error().message};
  std::vector<std::string> names;
  for (const GpuFiles& gpu : *gpus) {
    std::string joined;
    for (const std::string& file : gpu.files) {
      joined += (joined.empty() ? "" : "+") + file.substr(file.rfind('/') + 1);
    }
    names.push_back(joined);
  }
  return names;
}

// Each row was observed on a real node: which device a job with that index could open.
TEST(GresConf, IndicesFollowTheFilesAsWritten) {
  const auto in_order = ElementsAre("nvidia3", "nvidia1", "nvidia0", "nvidia2");
  EXPECT_THAT(files("Name=gpu Type=h100 File=/dev/nvidia3\nName=gpu Type=h100 File=/dev/nvidia1\n"
                    "Name=gpu Type=h100 File=/dev/nvidia0\nName=gpu Type=h100 File=/dev/nvidia2\n",
                    "gpu:h100:4"),
              in_order);
  EXPECT_THAT(files("NodeName=gpu-[01-04] Name=gpu Type=h100 "
                    "File=/dev/nvidia3,/dev/nvidia1,/dev/nvidia0,/dev/nvidia2",
                    "gpu:h100:4"),
              in_order);
  EXPECT_THAT(files("AutoDetect=off\nName=gpu File=/dev/nvidia[3,1,0,2] Cores=0-1", "gpu:4"),
              in_order);
}

TEST(GresConf, TypesComeAsTheNodesGresNamesThem) {
  const std::string_view conf =
      "Name=gpu Type=h100 File=/dev/nvidia[3,2]\nName=gpu Type=a100 File=/dev/nvidia[1,0]\n";
  EXPECT_THAT(files(conf, "gpu:a100:2,gpu:h100:2"),
              ElementsAre("nvidia1", "nvidia0", "nvidia3", "nvidia2"));
  EXPECT_THAT(files(conf, "gpu:h100:2(S:0),gpu:a100:2(S:1)"),
              ElementsAre("nvidia3", "nvidia2", "nvidia1", "nvidia0"));
  EXPECT_THAT(files(conf, "gpu:4"), ElementsAre(HasSubstr("type 'h100'")));
}

TEST(GresConf, OnlyTheNodesOwnLinesAndOnlyGpusCount) {
  const std::string_view conf =
      "NodeName=cpu[01-99] Name=gpu File=/dev/nvidia9\n"
      "NodeName=login,gpu-[01-02]   Name=gpu File=/dev/nvidia[0-1]\n"
      "Name=shard Count=8\nName=mps Count=200 File=/dev/nvidia0\nName=nic File=/dev/nic0\n";
  EXPECT_THAT(files(conf, "gpu:2,shard:8"), ElementsAre("nvidia0", "nvidia1"));
  EXPECT_THAT(files(conf, "", "gpu-03"), IsEmpty());
}

TEST(GresConf, WhatSlurmdDetectsIsNotGuessed) {
  EXPECT_THAT(files("AutoDetect=nvml", "gpu:4"), ElementsAre(HasSubstr("AutoDetect")));
  EXPECT_THAT(files("AutoDetect=nvml\nName=gpu File=/dev/nvidia0", "gpu:1"),
              ElementsAre(HasSubstr("AutoDetect")));
  EXPECT_THAT(
      files("AutoDetect=nvml\nNodeName=gpu-01 AutoDetect=off Name=gpu File=/dev/nvidia0", "gpu:1"),
      ElementsAre("nvidia0"));
  EXPECT_THAT(files("Name=gpu Type=h100 Count=4", "gpu:4"), ElementsAre(HasSubstr("File=")));
}

TEST(GresConf, SeveralFilesMayBeOneDevice) {
  EXPECT_THAT(
      files("Name=gpu Type=1g.10gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/"
            "nvidia-cap21,/dev/nvidia-caps/nvidia-cap22\n"
            "Name=gpu Type=1g.10gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/"
            "nvidia-cap[30-31]",
            "gpu:1g.10gb:2"),
      ElementsAre("nvidia0+nvidia-cap21+nvidia-cap22", "nvidia0+nvidia-cap30+nvidia-cap31"));
}

TEST(NodeConf, FindsTheNodeAmongAll) {
  const auto conf = lines(
      "ClusterName=fake\nNodeName=DEFAULT Gres=gpu:2 CPUs=4\nNodeName=a[1-3] NodeHostname=h[7-9]\n"
      "NodeName=b[1-3] Gres=gpu:h100:8\nPartitionName=p Nodes=ALL");
  EXPECT_EQ(node_conf(conf, "a2").cluster, "fake");
  EXPECT_EQ(node_conf(conf, "a2").gres, "gpu:2");
  EXPECT_EQ(node_conf(conf, "b3").gres, "gpu:h100:8");
  EXPECT_FALSE(node_conf(conf, "c1").known);
  EXPECT_EQ(node_of_host(conf, "h8"), "a2");
  EXPECT_EQ(node_of_host(conf, "a2"), std::nullopt);
}

TEST(SlurmdGres, TellsTheOrderItself) {
  const auto gpus = parse_slurmd_gres(
      "slurmd-gpu-01: Gres Name=gpu Type=a100 Count=2 Index=0 ID=7696487 "
      "File=/dev/nvidia[1,0] (null)\n"
      "slurmd-gpu-01: Gres Name=shard Type=h100 Count=2 Index=3 ID=1 File=/dev/nvidia3 (null)\n"
      "slurmd: Gres Name=gpu Type=(null) Count=1 Index=3 ID=7696487 File=/dev/nvidia3 (null)\n"
      "slurmd: Gres Name=gpu Type=1g Count=1 ID=7 "
      "File=/dev/nvidia2,/dev/nvidia-caps/nvidia-cap12 Flags=HAS_FILE\n");
  ASSERT_TRUE(gpus);
  EXPECT_THAT(*gpus,
              ElementsAre(GpuFiles{"a100", {"/dev/nvidia1"}}, GpuFiles{"a100", {"/dev/nvidia0"}},
                          GpuFiles{"", {"/dev/nvidia3"}},
                          GpuFiles{"1g", {"/dev/nvidia2", "/dev/nvidia-caps/nvidia-cap12"}}));
  EXPECT_FALSE(parse_slurmd_gres("slurmd: fatal: no nvml\n"));
  EXPECT_FALSE(parse_slurmd_gres("slurmd: Gres Name=gpu Type=a Count=4 File=/dev/nvidia0\n"));
}

}  // namespace
}  // namespace warpsight::slurm

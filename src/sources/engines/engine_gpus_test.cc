#include "sources/engines/engine_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/engines/discovery/node_for_test.h"

namespace warpsight::engines {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EngineGpusTest : public ::testing::Test {
 protected:
  void on_gpu(int gpu, int pid) {
    const std::string index = std::to_string(gpu);
    const EntityId device = entities_.intern(EntityKind::gpu, kNoEntity,
                                             {{"gpu.uuid", "GPU-" + index}, {"gpu.index", index}});
    entities_.intern(EntityKind::process, device, {{"process.pid", std::to_string(pid)}});
  }
  // Of the engine whose process `pid` listens.
  std::vector<std::string> gpus(int pid) {
    EngineGpus gpus(entities_, node_.path());
    gpus.look();
    Batch out;
    gpus.tell(engine_, pid, out);
    std::vector<std::string> found;
    for (const Point& point : out.points) {
      EXPECT_EQ(point.metric, Metric::llm_engine_gpu);
      EXPECT_EQ(entities_.attribute(point.entity, "server.address"), "127.0.0.1:8000");
      found.push_back(entities_.attribute(point.entity, "gpu.uuid"));
    }
    return found;
  }

  testing::FakeNode node_;
  EntityTable entities_;
  EntityId engine_ =
      entities_.intern(EntityKind::engine, kNoEntity, {{"server.address", "127.0.0.1:8000"}});
};

TEST_F(EngineGpusTest, ThoseOfTheProcessThatListensAndOfWhatItStarted) {
  node_.process(100, 1, "vllm serve");
  node_.process(101, 100, "VLLM::EngineCore");
  node_.process(102, 101, "VLLM::Worker_TP0");
  node_.process(103, 101, "VLLM::Worker_TP1");
  node_.process(200, 1, "python train.py");
  on_gpu(0, 102);
  on_gpu(1, 103);
  on_gpu(2, 200);
  EXPECT_THAT(gpus(100), ElementsAre("GPU-0", "GPU-1"));
  EXPECT_THAT(gpus(200), ElementsAre("GPU-2")) << "the process itself";
}

TEST_F(EngineGpusTest, NothingIsSaidOfAnEngineWhoseProcessesAreElsewhere) {
  node_.process(100, 1, "vllm serve");
  node_.process(200, 1, "python train.py");
  on_gpu(0, 200);
  on_gpu(1, 300);  // not to be seen in /proc
  EXPECT_THAT(gpus(100), IsEmpty());
}

}  // namespace
}  // namespace warpsight::engines

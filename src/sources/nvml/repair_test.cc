#include "sources/nvml/repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sources/nvml/fake_node.h"

namespace warpsight::nvml {
namespace {

using testing::FakeNode;
using ::testing::SizeIs;

TEST(NvmlRepair, EccErrorsAreCountedByPlaceOnce) {
  FakeNode node(R"(
gpus: [{model: h100, readings: {ecc_aggregate_dram_corrected: 12,
        ecc_volatile_sram_uncorrected_parity: 1, ecc_sram_threshold_exceeded: 1,
        rows_remapped_uncorrected: 2, row_remap_pending: 1, row_remap_banks_high: 3,
        repair_tpc_pending: 1, recovery_action: 4}}])");
  ASSERT_TRUE(node.collect());
  EXPECT_EQ(node.value(Metric::gpu_ecc_errors,
                       "gpu.ecc.error_type=correctable gpu.ecc.count_type=aggregate "
                       "gpu.ecc.memory_block=dram"),
            12);
  EXPECT_EQ(node.value(Metric::gpu_ecc_errors,
                       "gpu.ecc.error_type=uncorrectable gpu.ecc.count_type=volatile "
                       "gpu.ecc.memory_block=sram"),
            1);
  EXPECT_FALSE(node.has(Metric::gpu_ecc_errors, "gpu.ecc.memory_block=l2_cache"));
  EXPECT_EQ(node.value(Metric::gpu_ecc_sram_threshold_exceeded), 1);
  EXPECT_EQ(node.value(Metric::gpu_row_remap_rows, "gpu.ecc.error_type=uncorrectable"), 2);
  EXPECT_EQ(node.value(Metric::gpu_row_remap_pending), 1);
  EXPECT_EQ(node.value(Metric::gpu_row_remap_failure), 0);
  EXPECT_EQ(node.value(Metric::gpu_row_remap_banks, "gpu.row_remap.availability=high"), 3);
  EXPECT_EQ(node.value(Metric::gpu_repair_pending, "gpu.repair.kind=tpc"), 1);
  EXPECT_EQ(node.value(Metric::gpu_repair_pending, "gpu.repair.kind=channel"), 0);
  EXPECT_EQ(node.value(Metric::gpu_recovery_action, "gpu.recovery.name=drain_and_reset"), 4);
  EXPECT_THAT(node.points(Metric::gpu_recovery_action), SizeIs(1));
}

TEST(NvmlRepair, ARecoveryActionThatChangesEndsTheSeriesOfTheOldOne) {
  FakeNode node("gpus: [{model: h100, readings: {recovery_action: {steps: [[0, 0], [5s, 1]]}}}]");
  ASSERT_TRUE(node.collect());
  const EntityId before = node.points(Metric::gpu_recovery_action)[0].entity;
  bool ended = false;
  for (int tick = 0; tick < 20; ++tick) {
    ASSERT_TRUE(node.tick());
    ended = ended || std::ranges::find(node.batch.gone, before) != node.batch.gone.end();
  }
  EXPECT_TRUE(ended);
}

TEST(NvmlRepair, OldGpusReportRetiredPages) {
  FakeNode node(
      "gpus: [{model: t4, retired_pages: true, readings: {retired_pages_double_bit: 3}}]");
  ASSERT_TRUE(node.collect());
  EXPECT_EQ(node.value(Metric::gpu_retired_pages, "gpu.ecc.error_type=uncorrectable"), 3);
  EXPECT_EQ(node.value(Metric::gpu_retired_pages, "gpu.ecc.error_type=correctable"), 0);
}

}  // namespace
}  // namespace warpsight::nvml

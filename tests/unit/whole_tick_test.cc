// The whole way of a value in one process: fake driver, NVML source, the probe's wire format,
// registry, analyses, page. Time is moved by hand, so an hour takes seconds.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "allocation_counter.h"
#include "analysis/derived.h"
#include "analysis/devices.h"
#include "analysis/xid_ledger.h"
#include "runtime/probe_wire.h"
#include "sinks/prometheus/page.h"
#include "sources/nvml/fake_node.h"

namespace warpsight {
namespace {

class WholeTick : public testing::Test {
 protected:
  static constexpr int kPublishEvery = 10;

  void begin(std::string_view scenario) { node.emplace(scenario); }

  // A second passes; the source runs, its reply crosses the wire; every tenth publishes.
  void tick() {
    node->advance(1);
    Result<> outcome = first ? node->collect() : node->collect_into_batch();
    first = false;
    wire.clear();
    encoder->encode(node->batch, outcome, wire);
    std::memcpy(reader.room(wire.size()), wire.data(), wire.size());
    reader.filled(wire.size());
    probe::Frame frame;
    ASSERT_TRUE(reader.next(frame).value_or(false));
    ASSERT_TRUE(decoder.decode(frame.payload, received));
    registry.apply(source, received, node->clock.now());
    if (++ticks % kPublishEvery == 0) publish();
  }
  void publish() {
    Analysis* const analyses[] = {&ledger, &derived, &devices};
    registry.publish(node->clock.now(), analyses);
    registry.read([&](const Snapshot& snapshot) {
      page.render(snapshot, PageFormat::classic, text);
      samples = snapshot.samples.size();
    });
  }

  std::optional<nvml::testing::FakeNode> node;
  std::optional<probe::BatchEncoder> encoder;
  EntityTable entities;
  // Few events are kept, so that a growing ring of them is not taken for a leak.
  Registry registry{entities, {.events = 8}};
  uint16_t source = registry.add_source("nvml");
  probe::BatchDecoder decoder{entities};
  probe::FrameReader reader;
  XidLedger ledger{entities};
  Derived derived{entities};
  Devices devices{entities};
  PrometheusPage page{entities, {}, Options::defaults(prometheus_page_options())};
  Batch received;
  std::string wire;
  std::string text;
  size_t samples = 0;
  int ticks = 0;
  bool first = true;
};

TEST_F(WholeTick, TakesNothingFromTheHeapOnceSteady) {
  begin(R"(
gpus: [{model: h100, count: 8, load: {wave: {min: 0.1, max: 0.9, period: 30s}}}]
processes: [{gpu: all, pid: 4000, name: python3, memory: 10GiB, sm: 1}]
)");
  encoder.emplace(node->entities);
  // Two rounds of the slowest class, so that every buffer has grown to what it needs.
  while (ticks < 130) tick();
  ASSERT_GT(samples, 1000U);
  const uint64_t before = test::allocations();
  while (ticks < 260) tick();
  EXPECT_EQ(test::allocations() - before, 0U);
}

// Processes come and go every few seconds, a GPU vanishes and returns every ten minutes, another
// is lost and found.
TEST_F(WholeTick, AnHourOfComingAndGoingLeavesNothingBehind) {
  begin(R"(
gpus: [{model: h100, count: 8, load: {wave: {min: 0.1, max: 0.9, period: 30s}}}]
processes:
  - {gpu: all, pid: 4000, name: train, memory: 10GiB, sm: 0.5}
  - {gpu: 0, pid: 10000, name: short, memory: 1GiB, sm: 0.1, every: 7s, alive: 5s}
  - {gpu: 5, pid: 500000, name: other, memory: 1GiB, sm: 0.1, every: 11s, alive: 9s}
faults:
  - {fault: vanish, gpu: 7, at: 600s, for: 300s}
  - {fault: vanish, gpu: 7, at: 1800s, for: 300s}
  - {fault: lost, gpu: 3, at: 1200s, for: 200s}
  - {fault: reload, at: 2400s, for: 20s}
  - {fault: xid, gpu: 2, xid: 31, at: 100s, every: 60s}
)");
  encoder.emplace(node->entities);
  size_t most_samples = 0;
  size_t most_entities = 0;
  while (ticks < 600) {
    tick();
    most_samples = std::max(most_samples, samples);
    most_entities = std::max(most_entities, entities.size());
  }
  malloc_trim(0);
  const size_t in_use = mallinfo2().uordblks;
  while (ticks < 3600) {
    tick();
    // Two more XID facets and the odd process aside, an hour has no more to say than ten minutes.
    ASSERT_LE(samples, most_samples + 64) << "after " << ticks << " s";
    ASSERT_LE(entities.size(), most_entities + 64) << "after " << ticks << " s";
  }
  // A few buffers may still find a new high-water mark; a leak of one entity a minute would not
  // fit.
  EXPECT_LE(mallinfo2().uordblks, in_use + size_t{64} * 1024);
  EXPECT_EQ(registry.drops().series_limit, 0U);
  EXPECT_EQ(registry.drops().entity_gone, 0U);
}

}  // namespace
}  // namespace warpsight

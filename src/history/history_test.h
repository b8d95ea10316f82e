// A history with a registry before it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/registry.h"
#include "history/history.h"
#include "platform/test_dir.h"

namespace warpsight {

inline constexpr Duration kTestInterval = std::chrono::seconds{10};
inline constexpr Duration kTestPatience = std::chrono::seconds{60};

class HistoryBench {
 public:
  HistoryBench() { settings.directory = dir.path() + "/history"; }

  void open() {
    history.reset();
    auto opened = History::open(settings, clock, entities);
    ASSERT_TRUE(opened) << describe(opened.error());
    history = std::move(*opened);
  }
  void stop() {
    ASSERT_TRUE(history->stop(kTestPatience));
    history.reset();
  }

  EntityId gpu(int index) {
    const std::string text = std::to_string(index);
    return entities.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", text}, {".pci", text}});
  }

  // One point of the next publish.
  void add(Metric metric, EntityId entity, double value) {
    batch.begin(clock.now(), kTestInterval);
    batch.add(metric, entity, value);
  }
  // Moves the clock and records what was added.
  void publish(Duration after = kTestInterval) {
    registry.apply(source, batch, clock.now());
    registry.publish(clock.now(), {});
    registry.read([&](const Snapshot& snapshot) { history->record(snapshot); });
    // No more than the queue holds.
    if (++published % 4 == 0) {
      EXPECT_TRUE(history->known({"none"}, {}));
    }
    clock.advance(after);
  }

  SeriesQuery query(std::string metric, Time from, Duration step,
                    Aggregate aggregate = Aggregate::last) const {
    SeriesQuery asked;
    asked.metrics = {std::move(metric)};
    asked.from = from;
    asked.to = clock.now();
    asked.step = step;
    asked.aggregate = aggregate;
    return asked;
  }

  TestDir dir;
  ManualClock clock{Time{std::chrono::seconds{1'700'000'100}}};  // a multiple of five minutes
  EntityTable entities;
  Registry registry{entities};
  uint16_t source = registry.add_source("nvml");
  Batch batch;
  HistorySettings settings;
  std::unique_ptr<History> history;
  int published = 0;
};

}  // namespace warpsight

// For tests: the host source over a root of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "sources/host/host.h"
#include "sources/sysfs/fake_root.h"

namespace warpsight::testing {

class HostFixture : public ::testing::Test {
 protected:
  void set(std::string_view option, std::string_view value) {
    ASSERT_TRUE(options_.set(option, value));
  }

  // Runs the source after `passed`; the batch holds that run alone.
  Result<> collect(Duration passed = std::chrono::seconds{5}) {
    if (!source_) source_ = *kHostSource.make(context_);
    clock_.advance(passed);
    for (const EntityId gone : batch_.gone) entities_.remove(gone, [](EntityId) {});
    batch_.clear();
    return source_->collect(batch_);
  }

  std::optional<double> value(Metric metric, std::string_view attributes = {}) const {
    return value_of(batch_, entities_, metric, attributes);
  }

  // What is missing, and why.
  std::optional<Absence> absence(Metric metric) const {
    const auto found = std::ranges::find(batch_.absences, metric, &Missing::metric);
    if (found == batch_.absences.end()) return std::nullopt;
    return found->why;
  }

  FakeRoot root_;
  ManualClock clock_;
  EntityTable entities_;
  Options options_ = Options::defaults(kHostSource.options);
  CallTrace trace_;
  SourceContext context_{clock_, entities_, options_, trace_, root_.path(), {}, {}, {}, {}};
  std::unique_ptr<Source> source_;
  Batch batch_;
};

}  // namespace warpsight::testing

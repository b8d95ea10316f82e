// For tests: the source between a kubelet and metadata that do as they are told.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sources/kubernetes/cluster_for_test.h"
#include "sources/kubernetes/kubernetes_source.h"
#include "sources/kubernetes/options.h"

namespace warpsight::kubernetes::testing {

class SourceFixture : public ::testing::Test {
 protected:
  SourceFixture() {
    set("pod_resources", kubelet_.address());
    kubelet_.list({});
    kubelet_.allocatable({});
  }

  void set(std::string_view name, std::string_view text) {
    ASSERT_TRUE(options_.set(name, text)) << name;
  }

  // One run a second, as the lane does.
  Result<> run(Duration later = std::chrono::seconds{1}) {
    if (!source_) source_ = make_with(context_, std::make_unique<FakeMetadata>(metadata_)).value();
    clock_.advance(later);
    batch_.clear();
    auto outcome = source_->collect(batch_);
    if (batch_.ownership) {
      told_ = *batch_.ownership;
      ++reports_;
    }
    return outcome;
  }

  // "pod/u1/main GPU-..." of every device that is held.
  std::vector<std::string> held() const {
    std::vector<std::string> lines;
    for (const Holding& h : told_.holdings) {
      lines.push_back(h.owner + " " + h.device.text);
    }
    return lines;
  }

  const Owner* owner(std::string_view key) const {
    const auto found = std::ranges::find(told_.owners, key, &Owner::key);
    return found == told_.owners.end() ? nullptr : &*found;
  }
  std::vector<std::string> owners() const {
    std::vector<std::string> keys;
    for (const Owner& o : told_.owners) keys.push_back(o.key);
    return keys;
  }

  std::string explanation() const {
    std::string all;
    for (const Lookup& l : told_.lookups) all += l.question + ": " + l.answer + "\n";
    return all;
  }

  FakeKubelet kubelet_;
  FakeMetadata::State metadata_;
  ManualClock clock_;
  EntityTable entities_;
  Options options_ = Options::defaults(kOptions);
  CallTrace trace_;
  SourceContext context_{clock_, entities_, options_, trace_, "/", {}, {}, {}, {}};
  std::unique_ptr<Source> source_;
  Batch batch_;
  Ownership told_;
  int reports_ = 0;
};

}  // namespace warpsight::kubernetes::testing

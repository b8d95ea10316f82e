// For tests: the source against the fake driver in one process, time moved by hand.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/nvml/source.h"
#include "tests/places.h"

namespace warpsight::nvml::testing {

inline std::string old_driver_path() {
  std::string path = WARPSIGHT_FAKE_NVML;
  return path.insert(path.rfind(".so"), "-old");
}

class FakeNode {
 public:
  // `scenario` is a scenario's text; its clock begins with ours. The library stays loaded, as its
  // state is meant to last.
  explicit FakeNode(std::string_view scenario, const std::string& library = WARPSIGHT_FAKE_NVML)
      : handle_(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
    if (handle_ == nullptr) {
      ADD_FAILURE() << library << " cannot be loaded";
      std::abort();
    }
    const std::string text = "clock: {epoch: 1700000000}\n" + std::string(scenario);
    char error[512] = {};
    if (control<int(const char*, char*, unsigned)>("warpsightFakeNvmlLoad")(text.c_str(), error,
                                                                            sizeof error) != 0) {
      ADD_FAILURE() << error;
    }
    control<void(double)>("warpsightFakeNvmlManualClock")(0);
    reset_calls();
    set("library", library);
  }
  ~FakeNode() {
    source_.reset();
    ::dlclose(handle_);
  }
  FakeNode(const FakeNode&) = delete;
  FakeNode& operator=(const FakeNode&) = delete;

  void set(std::string_view option, std::string_view value) {
    ASSERT_TRUE(options_.set(option, value));
  }

  // One run, without moving time. The source is made by the first.
  Result<> collect() {
    batch.clear();
    if (!source_) {
      auto made = make({clock, entities, options_, trace, root, {}, {}, skip, only});
      if (!made) return tl::unexpected(made.error());
      source_ = std::move(*made);
    }
    Result<> result = source_->collect(batch);
    keep(batch);
    return result;
  }
  // The same with nothing around it, once the source is made.
  bool quiet_collect() {
    batch.clear();
    return static_cast<bool>(source_->collect(batch));
  }
  // A run as the probe has it: the source's own result, nothing kept beside it.
  Result<> collect_into_batch() {
    batch.clear();
    return source_->collect(batch);
  }
  // What the runtime does between two runs: the gone go.
  void sweep() {
    for (const EntityId gone : batch.gone) entities.remove(gone, [](EntityId) {});
  }
  void advance(double seconds) {
    clock.advance(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
    control<void(double)>("warpsightFakeNvmlAdvance")(seconds);
  }
  // Time passes, then a run.
  Result<> tick(double seconds = 1) {
    sweep();
    advance(seconds);
    return collect();
  }
  // Runs until `seconds` have passed, a tick each second; all that was said is in `history`.
  void run(int seconds) {
    for (int i = 0; i < seconds; ++i) EXPECT_TRUE(tick());
  }

  unsigned long long calls(const char* function = nullptr) {
    return control<unsigned long long(const char*)>("warpsightFakeNvmlCalls")(function);
  }
  void reset_calls() { control<void()>("warpsightFakeNvmlResetCalls")(); }
  void release_hangs() { control<void()>("warpsightFakeNvmlReleaseHangs")(); }

  // "key=value key=value" of an entity, parents' first.
  std::string attributes(EntityId id) const {
    std::string text;
    entities.for_each_attribute(id, [&](std::string_view key, std::string_view value) {
      text.append(text.empty() ? "" : " ").append(key).append("=").append(value);
    });
    return text;
  }
  // Points of the last run whose entity has all these attributes ("gpu.index=0 a=b").
  std::vector<Point> points(Metric metric, std::string_view wanted = "gpu.index=0") const {
    std::vector<Point> found;
    for (const Point& point : batch.points) {
      if (point.metric == metric && has_all(point.entity, wanted)) found.push_back(point);
    }
    return found;
  }
  std::optional<double> value(Metric metric, std::string_view wanted = "gpu.index=0") const {
    const auto found = points(metric, wanted);
    return found.empty() ? std::nullopt : std::optional(found.back().value);
  }
  // The same of one that must be there.
  double number(Metric metric, std::string_view wanted = "gpu.index=0") const {
    const auto found = points(metric, wanted);
    EXPECT_FALSE(found.empty()) << row(metric).name << " " << wanted;
    return found.empty() ? 0 : found.back().value;
  }
  bool has(Metric metric, std::string_view wanted = "gpu.index=0") const {
    return !points(metric, wanted).empty();
  }
  std::optional<Absence> absence(Metric metric, std::string_view wanted = "gpu.index=0") const {
    for (const Missing& missing : history.absences) {
      if (missing.metric == metric && has_all(missing.entity, wanted)) return missing.why;
    }
    return std::nullopt;
  }
  // Events of that name since the beginning.
  std::vector<Event> events(std::string_view name) const {
    std::vector<Event> found;
    for (const Event& event : history.events) {
      if (event.name == name) found.push_back(event);
    }
    return found;
  }
  Source& source() { return *source_; }
  void stop() { source_.reset(); }

  ManualClock clock;
  EntityTable entities;
  CallTrace trace;
  std::string root = "/nonexistent";
  std::vector<std::string> skip;
  std::vector<std::string> only;
  Batch batch;
  Batch history;  // events and absences of all runs

 private:
  // One of the functions of simulate/control.h.
  template <typename T>
  T* control(const char* name) const {
    return reinterpret_cast<T*>(::dlsym(handle_, name));
  }
  void keep(const Batch& run) {
    history.events.insert(history.events.end(), run.events.begin(), run.events.end());
    history.absences.insert(history.absences.end(), run.absences.begin(), run.absences.end());
  }
  bool has_all(EntityId id, std::string_view wanted) const {
    const std::string all = " " + attributes(id) + " ";
    bool every = true;
    for_each_token(wanted, ' ', [&](std::string_view token) {
      every = every && all.find(" " + std::string(token) + " ") != std::string::npos;
    });
    return every;
  }

  void* handle_;
  Options options_ = Options::defaults(kDefinition.options);
  std::unique_ptr<Source> source_;
};

}  // namespace warpsight::nvml::testing

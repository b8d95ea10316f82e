// A node with one GPU that works, for tests of who owns it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>

#include "identity/node_test.h"

namespace warpsight::identity {

class OneGpuTest : public testing::Test {
 protected:
  // The GPU, read for some seconds at a steady load.
  void work(int times, double load, double watts = 100) {
    for (int i = 0; i < times; ++i) {
      node.wait(std::chrono::seconds{1});
      energy_ += watts;
      node.say(Metric::gpu_utilization, gpu, load);
      node.say(Metric::gpu_memory_used, gpu, 1000);
      node.say(Metric::gpu_energy_consumption, gpu, energy_);
    }
  }

  TestNode node;
  EntityId gpu = node.add_gpu(0, "GPU-a", 3);
  double energy_ = 5000;
};

}  // namespace warpsight::identity

// What it costs to know whose the devices of a full node are: 8 GPUs of 7 MIG instances, 110 pods
// with two containers each, a process on every instance. The limit is 5 ms of CPU for a refresh.
#include <benchmark/benchmark.h>

#include <string>

#include "identity/node_test.h"

namespace warpsight::identity {
namespace {

constexpr int kGpus = 8;
constexpr int kInstances = 7;
constexpr int kPods = 110;

class FullNode : public TestNode {
 public:
  FullNode() {
    for (int i = 0; i < kGpus * kInstances; ++i) add_instance(i);
    report("kubernetes", pods(0));
    report("processes", members());
    publish();
  }

  // Each pod's two containers; the first 56 hold an instance each, another one with another turn.
  static Ownership pods(int turn) {
    Ownership told;
    for (int i = 0; i < kPods; ++i) {
      for (const char* container : {"main", "sidecar"}) {
        Owner owner = pod("p" + std::to_string(i), {{"k8s.node.name", "node-a"},
                                                    {"k8s.deployment.name", "serve"},
                                                    {".k8s.pod.label.team", "ml"}});
        owner.key += container;
        owner.aliases = {"container/" + std::to_string(i) + container};
        if (i < kGpus * kInstances && container[0] == 'm') {
          told.holdings.push_back(
              holds(owner, "MIG-" + std::to_string((i + turn) % (kGpus * kInstances))));
        }
        told.owners.push_back(std::move(owner));
      }
    }
    return told;
  }

 private:
  static Ownership members() {
    Ownership told;
    for (int i = 0; i < kGpus * kInstances; ++i) {
      told.members.push_back(member(1000 + i, "container/" + std::to_string(i) + "main"));
    }
    return told;
  }

  void add_instance(int i) {
    const EntityId gpu = add_gpu(i / kInstances, "GPU-" + std::to_string(i / kInstances), i / 7);
    const EntityId instance = add_mig(gpu, i % kInstances, "MIG-" + std::to_string(i));
    const EntityId process = add_process(instance, 1000 + i);
    for (const Metric metric : {Metric::gpu_memory_used, Metric::gpu_memory_total,
                                Metric::gpu_gr_engine_active, Metric::gpu_sm_active}) {
      say(metric, instance, 0.5);
    }
    say(Metric::gpu_process_memory_used, process, 1e9);
  }
};

void tell_what_is_known(benchmark::State& state) {
  FullNode node;
  const Ownership same = FullNode::pods(0);
  for (auto _ : state) node.report("kubernetes", same);
}
BENCHMARK(tell_what_is_known)->Unit(benchmark::kMicrosecond);

// All 56 instances change hands at once.
void all_change_hands(benchmark::State& state) {
  FullNode node;
  int turn = 0;
  for (auto _ : state) {
    node.wait(std::chrono::seconds{1});
    node.report("kubernetes", FullNode::pods(++turn));
  }
}
BENCHMARK(all_change_hands)->Unit(benchmark::kMicrosecond);

void publish_owners(benchmark::State& state) {
  FullNode node;
  for (auto _ : state) {
    node.wait(std::chrono::seconds{10});
    node.publish();
  }
}
BENCHMARK(publish_owners)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace warpsight::identity

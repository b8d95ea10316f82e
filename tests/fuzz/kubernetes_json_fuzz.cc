// Whatever a server sends as list, watch, pod, node or slice: nothing crashes, and what is kept of
// it stays within bounds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sources/kubernetes/api/kubelet_metadata.h"
#include "sources/kubernetes/api/node_facts.h"
#include "sources/kubernetes/api/pod_store.h"
#include "sources/kubernetes/api/slice_watch.h"

namespace {

using namespace warpsight;
using namespace warpsight::kubernetes;

void require(bool holds) {
  if (!holds) std::abort();
}

void hear(Conversation& conversation, std::string_view bytes, size_t piece, SteadyTime now) {
  for (size_t at = 0; at < bytes.size(); at += piece) {
    if (!conversation.heard(bytes.substr(at, piece), now)) return;
  }
  conversation.ended(now);
}

void answer(Conversation& conversation, std::string_view bytes, size_t piece, SteadyTime now) {
  if (!conversation.next(now)) return;
  conversation.begun(200);
  hear(conversation, bytes, piece, now);
}

void check(const Pods& pods) {
  require(pods.size() <= PodStore::kMostPods);
  for (const auto& [key, pod] : pods) {
    require(key.first == pod.space && key.second == pod.name && !pod.uid.empty());
    for (const Attribute& label : pod.labels) require(label.value.size() <= 1024);
  }
}

// The answer as a list, and as what is watched after one.
void follow(ObjectStore& store, std::string_view bytes, size_t piece) {
  const ManualClock clock;
  ListWatch watch({.path = "/x", .field_selector = "a=b"}, store);
  answer(watch, bytes, piece, clock.steady());
  ListWatch later({.path = "/x", .field_selector = "a=b"}, store);
  answer(later, R"({"metadata":{"resourceVersion":"1"},"items":[]})", 64, clock.steady());
  answer(later, bytes, piece, clock.steady());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t piece = size_t{1} + data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const SteadyTime now = ManualClock().steady();

  OwnerLookups owners;
  PodStore pods(&owners);
  follow(pods, bytes, piece);
  check(pods.pods());
  answer(owners, bytes, piece, now);
  pods.refresh();
  check(pods.pods());

  ResourceSlices slices;
  follow(slices, bytes, piece);
  require(slices.size() <= ResourceSlices::kMostSlices);

  SliceWatch discovered("n");
  answer(discovered, bytes, piece, now);
  answer(discovered, bytes, piece, now);
  NodeFacts node("n");
  answer(node, bytes, piece, now);
  require(!node.attributes().empty());
  KubeletPods kubelet;
  answer(kubelet, bytes, piece, now);
  check(kubelet.store().pods());
  return 0;
}

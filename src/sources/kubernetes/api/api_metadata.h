// What the API server knows of this node's pods, kept up to date by watching.
#pragma once

#include "sources/kubernetes/api/api_client.h"
#include "sources/kubernetes/api/node_facts.h"
#include "sources/kubernetes/api/pod_store.h"
#include "sources/kubernetes/api/slice_watch.h"

namespace warpsight::kubernetes {

class ApiMetadata final : public Metadata {
 public:
  // `client` is this one's alone.
  ApiMetadata(std::unique_ptr<ApiClient> client, const std::string& node, bool resource_slices);

  bool advance(Duration patience) override;
  bool synced() const override { return synced_; }
  const Pods& pods() const override { return pods_.pods(); }
  const std::vector<Attribute>& node() const override { return facts_.attributes(); }
  std::optional<DeviceName> device(std::string_view driver, std::string_view pool,
                                   std::string_view device) const override {
    return slices_.slices().device(driver, pool, device);
  }
  std::vector<Lookup> lookups() const override;
  std::string problem() const override;

  // How it stands with the pods, without which all else is nothing.
  ListWatch::Standing standing() const { return watch_.standing(); }

 private:
  struct State {
    uint64_t pods = 0;
    uint64_t slices = 0;
    bool synced = false;
    std::vector<Attribute> node = {};
    std::string problem = {};

    friend bool operator==(const State&, const State&) = default;
  };

  std::vector<const Conversation*> conversations() const;

  std::unique_ptr<ApiClient> client_;
  bool with_slices_;
  OwnerLookups owners_;
  PodStore pods_;
  ListWatch watch_;
  NodeFacts facts_;
  SliceWatch slices_;
  bool synced_ = false;
  State told_;
};

}  // namespace warpsight::kubernetes

// For a node whose pods nobody tells of.
#pragma once

#include "sources/kubernetes/metadata.h"

namespace warpsight::kubernetes {

class NoMetadata final : public Metadata {
 public:
  explicit NoMetadata(const std::string& node, std::string problem = {})
      : node_({{"k8s.node.name", node}}), problem_(std::move(problem)) {
    if (node.empty()) node_.clear();
  }

  bool advance(Duration) override { return false; }
  bool synced() const override { return true; }
  const Pods& pods() const override { return pods_; }
  const std::vector<Attribute>& node() const override { return node_; }
  std::optional<DeviceName> device(std::string_view, std::string_view,
                                   std::string_view) const override {
    return std::nullopt;
  }
  std::vector<Lookup> lookups() const override { return {}; }
  std::string problem() const override { return problem_; }

 private:
  Pods pods_;
  std::vector<Attribute> node_;
  std::string problem_;
};

}  // namespace warpsight::kubernetes

// What the node's object says of the machine: its cloud, region, zone and type.
#pragma once

#include <vector>

#include "runtime/backoff.h"
#include "sources/kubernetes/api/enquiry.h"
#include "wire/json_text.h"

namespace warpsight::kubernetes {

// k8s.node.name, cloud.*, host.type, as far as the object tells them.
std::vector<Attribute> read_node(const std::string& name, Json node);

class NodeFacts final : public Enquiry {
 public:
  explicit NodeFacts(std::string name);

  // Its name alone until the object is known.
  const std::vector<Attribute>& attributes() const { return attributes_; }
  // Whether it was asked for, and answered in some way.
  bool settled() const { return settled_; }

  std::optional<Question> next(SteadyTime now) override;

 protected:
  void answered(int status, std::string_view body, SteadyTime now) override;
  void unanswered(const TransportFailure& failure, SteadyTime now) override;

 private:
  std::string name_;
  std::vector<Attribute> attributes_;
  bool settled_ = false;
  SteadyTime not_before_{};
  Backoff backoff_;
};

}  // namespace warpsight::kubernetes

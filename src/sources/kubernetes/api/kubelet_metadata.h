// What the kubelet of this node knows of its pods, asked again and again.
#pragma once

#include "runtime/backoff.h"
#include "sources/kubernetes/api/api_client.h"
#include "sources/kubernetes/api/enquiry.h"
#include "sources/kubernetes/api/pod_store.h"

namespace warpsight::kubernetes {

class KubeletPods final : public Enquiry {
 public:
  KubeletPods();

  const PodStore& store() const { return store_; }
  bool listed() const { return listed_; }
  // Whether the last answer was a list.
  bool good() const { return good_; }
  // Whether some answer came, or none can be had.
  bool settled() const { return settled_; }

  std::optional<Question> next(SteadyTime now) override;

 protected:
  void answered(int status, std::string_view body, SteadyTime now) override;
  void unanswered(const TransportFailure& failure, SteadyTime now) override;

 private:
  void fail_until(SteadyTime next, std::string problem);

  PodStore store_;
  bool listed_ = false;
  bool good_ = false;
  bool settled_ = false;
  SteadyTime not_before_{};
  Backoff backoff_;
};

class KubeletMetadata final : public Metadata {
 public:
  // `client` is this one's alone.
  KubeletMetadata(std::unique_ptr<ApiClient> client, const std::string& node);

  bool advance(Duration patience) override;
  bool synced() const override { return asked_.listed(); }
  const Pods& pods() const override { return asked_.store().pods(); }
  const std::vector<Attribute>& node() const override { return node_; }
  std::optional<DeviceName> device(std::string_view, std::string_view,
                                   std::string_view) const override {
    return std::nullopt;
  }
  std::vector<Lookup> lookups() const override;
  std::string problem() const override { return asked_.problem(); }

  const KubeletPods& asked() const { return asked_; }

 private:
  std::unique_ptr<ApiClient> client_;
  KubeletPods asked_;
  std::vector<Attribute> node_;
  uint64_t changes_told_ = 0;
  std::string problem_told_;
  bool synced_told_ = false;
};

}  // namespace warpsight::kubernetes

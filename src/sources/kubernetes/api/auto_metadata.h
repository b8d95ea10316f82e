// The API server while it answers, else the kubelet while that does, else nobody.
#pragma once

#include "sources/kubernetes/api/api_metadata.h"
#include "sources/kubernetes/api/kubelet_metadata.h"

namespace warpsight::kubernetes {

class AutoMetadata final : public Metadata {
 public:
  // Without `api`, its error is the problem.
  AutoMetadata(Result<std::unique_ptr<ApiMetadata>> api, std::unique_ptr<KubeletMetadata> kubelet,
               const Clock& clock);

  bool advance(Duration patience) override;
  bool synced() const override { return synced_; }
  const Pods& pods() const override { return current().pods(); }
  const std::vector<Attribute>& node() const override;
  std::optional<DeviceName> device(std::string_view driver, std::string_view pool,
                                   std::string_view device) const override;
  std::vector<Lookup> lookups() const override;
  std::string problem() const override;

 private:
  // Whether the API server has not told of the pods for long enough, or will not.
  bool api_is_out(SteadyTime now);
  const Metadata& current() const;

  std::unique_ptr<ApiMetadata> api_;  // may be null
  std::string api_problem_;           // why it is
  std::unique_ptr<KubeletMetadata> kubelet_;
  const Clock& clock_;
  SteadyTime good_last_;
  bool use_kubelet_;
  bool synced_ = false;
};

}  // namespace warpsight::kubernetes

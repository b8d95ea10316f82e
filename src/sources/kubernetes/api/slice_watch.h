// Finds out which version of the ResourceSlices the server has, and watches those of this node.
#pragma once

#include "runtime/backoff.h"
#include "sources/kubernetes/api/enquiry.h"
#include "sources/kubernetes/api/resource_slices.h"

namespace warpsight::kubernetes {

// The newest known version that the server's APIGroup names; empty when there is none.
std::string newest_slice_version(Json group);

class SliceWatch final : public Conversation {
 public:
  explicit SliceWatch(std::string node);

  const ResourceSlices& slices() const { return slices_; }
  // Whether they are known, or known not to be had.
  bool settled() const;

  std::optional<Question> next(SteadyTime now) override;
  void begun(int status) override { current().begun(status); }
  bool heard(std::string_view bytes, SteadyTime now) override {
    return current().heard(bytes, now);
  }
  void ended(SteadyTime now) override { current().ended(now); }
  void failed(const TransportFailure& failure, SteadyTime now) override {
    current().failed(failure, now);
  }
  Lookup lookup() const override { return current().lookup(); }
  const std::string& problem() const override { return current().problem(); }

 private:
  class Discovery final : public Enquiry {
   public:
    Discovery();
    const std::string& version() const { return version_; }
    bool settled() const { return settled_; }
    // The version is not there any more.
    void forget(SteadyTime now);

    std::optional<Question> next(SteadyTime now) override;

   protected:
    void answered(int status, std::string_view body, SteadyTime now) override;
    void unanswered(const TransportFailure& failure, SteadyTime now) override;

   private:
    std::string version_;
    bool settled_ = false;
    SteadyTime not_before_{};
    Backoff backoff_;
  };

  const Conversation& current() const;
  Conversation& current();

  std::string node_;
  ResourceSlices slices_;
  Discovery discovery_;
  std::optional<ListWatch> watch_;
};

}  // namespace warpsight::kubernetes

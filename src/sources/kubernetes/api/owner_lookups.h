// Asks who is above the owners of pods: the Deployment of a ReplicaSet, the CronJob of a Job.
#pragma once

#include <deque>
#include <map>
#include <unordered_map>

#include "sources/kubernetes/api/enquiry.h"
#include "sources/kubernetes/api/pod_json.h"
#include "sources/kubernetes/api/refusal.h"

namespace warpsight::kubernetes {

class OwnerLookups final : public Enquiry {
 public:
  enum class Knowledge : uint8_t {
    known,    // `controller` is the one above; none: there is none, or the owner is gone
    pending,  // it is asked for
    refused,  // it could not be asked for; tried again later
  };
  struct Above {
    Knowledge knowledge = Knowledge::known;
    std::optional<Controller> controller = std::nullopt;
  };

  OwnerLookups();

  // Owners of kinds that nobody is above of that matters are known at once.
  Above above(const Controller& owner, const std::string& space);

  // Lets it ask for some more; once an advance.
  void replenish() { allowance_ = kMostAtOnce; }
  // Whether no answer is waited for.
  bool settled() const { return wanted_.empty() && !under_way_; }
  // Grows with whatever above() now tells differently.
  uint64_t answers() const { return answers_; }

  std::optional<Question> next(SteadyTime now) override;
  const std::string& problem() const override;

 protected:
  void answered(int status, std::string_view body, SteadyTime now) override;
  void unanswered(const TransportFailure& failure, SteadyTime now) override;

 private:
  static constexpr int kMostAtOnce = 64;

  struct Wanted {
    Controller owner;
    std::string space;
  };
  struct Entry {
    Above above;
    SteadyTime again = SteadyTime::max();  // when to ask again
  };
  // Of a kind of owners whose lookups are refused as a whole.
  struct Refusal {
    SteadyTime until;
    std::string problem;
  };

  void settle(Above above, SteadyTime again);
  void expire(SteadyTime now);

  std::unordered_map<std::string, Entry> entries_;  // by uid
  std::deque<Wanted> wanted_;
  Wanted asking_;  // the last one
  bool under_way_ = false;
  std::map<std::string, Refusal> refusals_;  // by kind
  int allowance_ = kMostAtOnce;
  uint64_t answers_ = 0;
  SteadyTime first_again_ = SteadyTime::max();
  JsonText text_;
};

}  // namespace warpsight::kubernetes

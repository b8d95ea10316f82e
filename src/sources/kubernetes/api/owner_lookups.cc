#include "sources/kubernetes/api/owner_lookups.h"

#include <fmt/format.h>

#include <algorithm>

#include "sources/kubernetes/api/query.h"

namespace warpsight::kubernetes {
namespace {

constexpr size_t kLargestAnswer = size_t{1} << 20;
constexpr size_t kMostEntries = 4096;
constexpr Duration kAfterRefusal = std::chrono::minutes{5};
constexpr Duration kAfterFailure = std::chrono::seconds{30};
// The metadata alone, from servers that can tell it so, which all since 1.15 do.
constexpr std::string_view kMetadataOnly =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

// Empty for owners that nobody of interest is above of.
std::string_view resource_of(const Controller& owner) {
  if (owner.is("apps", "ReplicaSet")) return "replicasets";
  if (owner.is("batch", "Job")) return "jobs";
  return {};
}

}  // namespace

OwnerLookups::OwnerLookups() : Enquiry(kLargestAnswer), text_(kLargestAnswer) {}

OwnerLookups::Above OwnerLookups::above(const Controller& owner, const std::string& space) {
  if (resource_of(owner).empty() || owner.uid.empty()) return {};
  if (const auto found = entries_.find(owner.uid); found != entries_.end()) {
    return found->second.above;
  }
  if (entries_.size() >= kMostEntries) {
    entries_.clear();
    wanted_.clear();
    ++answers_;
  }
  const Above pending{.knowledge = Knowledge::pending};
  entries_.emplace(owner.uid, Entry{.above = pending});
  wanted_.push_back({.owner = owner, .space = space});
  return pending;
}

std::optional<Question> OwnerLookups::next(SteadyTime now) {
  expire(now);
  while (!wanted_.empty() && allowance_ > 0) {
    asking_ = std::move(wanted_.front());
    under_way_ = true;
    wanted_.pop_front();
    const Controller& owner = asking_.owner;
    if (const auto refusal = refusals_.find(owner.kind); refusal != refusals_.end()) {
      settle({.knowledge = Knowledge::refused}, refusal->second.until);
      continue;
    }
    --allowance_;
    asked_ =
        fmt::format("/apis/{}/v1/namespaces/{}/{}/{}", owner.group, percent_encode(asking_.space),
                    resource_of(owner), percent_encode(owner.name));
    return Question{.path = asked_, .accept = kMetadataOnly};
  }
  return std::nullopt;
}

void OwnerLookups::answered(int status, std::string_view body, SteadyTime now) {
  answer_ = fmt::format("HTTP status {}", status);
  if (status == kForbidden) {
    const Right right{.verbs = "get",
                      .resource = std::string(resource_of(asking_.owner)),
                      .group = asking_.owner.group};
    refusals_[asking_.owner.kind] = {.until = now + kAfterRefusal,
                                     .problem = refusal_text(right, status, body)};
    return settle({.knowledge = Knowledge::refused}, now + kAfterRefusal);
  }
  if (status == kNotFound) return settle({}, now + kAfterRefusal);
  const auto object = text_.parse(body);
  if (status != kOk || !object || !object->is_object()) {
    return settle({.knowledge = Knowledge::refused}, now + kAfterFailure);
  }
  const bool same = (*object)["metadata"]["uid"].text() == asking_.owner.uid;
  Above above;
  if (same) above.controller = read_controller(*object);
  answer_ = above.controller ? above.controller->kind + " " + above.controller->name : "nobody";
  settle(std::move(above), same ? SteadyTime::max() : now + kAfterRefusal);
}

void OwnerLookups::unanswered(const TransportFailure& failure, SteadyTime now) {
  answer_ = failure.message;
  settle({.knowledge = Knowledge::refused}, now + kAfterFailure);
}

void OwnerLookups::settle(Above above, SteadyTime again) {
  entries_[asking_.owner.uid] = {.above = std::move(above), .again = again};
  first_again_ = std::min(first_again_, again);
  under_way_ = false;
  ++answers_;
}

void OwnerLookups::expire(SteadyTime now) {
  if (now < first_again_) return;
  std::erase_if(refusals_, [&](const auto& item) { return item.second.until <= now; });
  std::erase_if(entries_, [&](const auto& item) { return item.second.again <= now; });
  first_again_ = SteadyTime::max();
  for (const auto& [uid, entry] : entries_) first_again_ = std::min(first_again_, entry.again);
  ++answers_;
}

const std::string& OwnerLookups::problem() const {
  return refusals_.empty() ? problem_ : refusals_.begin()->second.problem;
}

}  // namespace warpsight::kubernetes

#include "sources/kubernetes/api/api_metadata.h"

#include <fmt/format.h>

#include <utility>

#include "sources/kubernetes/api/replace.h"

namespace warpsight::kubernetes {

ApiMetadata::ApiMetadata(std::unique_ptr<ApiClient> client, const std::string& node,
                         bool resource_slices)
    : client_(std::move(client)),
      with_slices_(resource_slices),
      pods_(&owners_),
      watch_({.path = "/api/v1/pods",
              .field_selector = "spec.nodeName=" + node,
              .right = {.verbs = "list, watch", .resource = "pods", .group = ""}},
             pods_),
      facts_(node),
      slices_(node) {
  client_->add(watch_);
  client_->add(facts_);
  client_->add(owners_);
  if (with_slices_) client_->add(slices_);
}

bool ApiMetadata::advance(Duration patience) {
  owners_.replenish();
  client_->advance(patience);
  pods_.refresh();
  synced_ = synced_ || (watch_.listed() && owners_.settled() && facts_.settled() &&
                        (!with_slices_ || slices_.settled()));
  State state{.pods = pods_.changes(),
              .slices = slices_.slices().changes(),
              .synced = synced_,
              .node = facts_.attributes(),
              .problem = problem()};
  return replace(told_, std::move(state));
}

std::vector<const Conversation*> ApiMetadata::conversations() const {
  std::vector<const Conversation*> all = {&watch_, &facts_, &owners_};
  if (with_slices_) all.push_back(&slices_);
  return all;
}

std::vector<Lookup> ApiMetadata::lookups() const {
  std::vector<Lookup> all;
  for (const Conversation* one : conversations()) {
    Lookup lookup = one->lookup();
    if (lookup.answer.empty()) continue;
    if (one == &watch_) lookup.answer += fmt::format("; {} pods", pods_.pods().size());
    lookup.question += " at " + client_->url();
    all.push_back(std::move(lookup));
  }
  return all;
}

std::string ApiMetadata::problem() const {
  std::string all;
  const auto add = [&](const std::string& one) {
    // One cause, such as a server that is away, is told once.
    if (one.empty() || all.find(one) != std::string::npos) return;
    if (!all.empty()) all += " | ";
    all += one;
  };
  for (const Conversation* one : conversations()) add(one->problem());
  if (pods_.left_out() > 0) {
    add(fmt::format("{} pods of this node are left out: only {} are heeded", pods_.left_out(),
                    PodStore::kMostPods));
  }
  return all;
}

}  // namespace warpsight::kubernetes

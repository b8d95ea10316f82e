#include "sources/kubernetes/api/slice_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpsight::kubernetes {
namespace {

constexpr size_t kLargestGroup = size_t{64} * 1024;
constexpr std::string_view kGroup = "resource.k8s.io";
constexpr std::array<std::string_view, 4> kVersions = {"v1", "v1beta2", "v1beta1", "v1alpha3"};
constexpr Duration kAfterAbsent = std::chrono::minutes{10};
constexpr Duration kAfterForbidden = std::chrono::minutes{5};

}  // namespace

std::string newest_slice_version(Json group) {
  size_t newest = kVersions.size();
  group["versions"].for_each([&](Json version) {
    const auto known = std::ranges::find(kVersions, version["version"].text());
    newest = std::min(newest, static_cast<size_t>(known - kVersions.begin()));
  });
  return newest < kVersions.size() ? std::string(kVersions.at(newest)) : "";
}

SliceWatch::Discovery::Discovery()
    : Enquiry(kLargestGroup), backoff_(std::chrono::seconds{1}, std::chrono::seconds{30}) {}

std::optional<Question> SliceWatch::Discovery::next(SteadyTime now) {
  if (now < not_before_) return std::nullopt;
  asked_ = fmt::format("/apis/{}", kGroup);
  return Question{.path = asked_};
}

void SliceWatch::Discovery::forget(SteadyTime now) {
  version_.clear();
  not_before_ = now + kAfterAbsent;
}

void SliceWatch::Discovery::answered(int status, std::string_view body, SteadyTime now) {
  settled_ = true;
  answer_ = fmt::format("HTTP status {}", status);
  problem_.clear();
  not_before_ = now + kAfterAbsent;
  JsonText text(kLargestGroup);
  const auto group = text.parse(body);
  if (status == kOk && group) {
    version_ = newest_slice_version(*group);
    answer_ = version_.empty() ? "no version that is known" : version_;
  } else if (status != kNotFound) {
    problem_ = refusal_text({.verbs = "get", .resource = asked_, .group = ""}, status, body);
    not_before_ = now + (status == kForbidden ? kAfterForbidden : backoff_.failed(now));
  }
}

void SliceWatch::Discovery::unanswered(const TransportFailure& failure, SteadyTime now) {
  settled_ = true;
  answer_ = failure.message;
  problem_ = failure_text(failure);
  not_before_ = now + backoff_.failed(now);
}

SliceWatch::SliceWatch(std::string node) : node_(std::move(node)) {}

const Conversation& SliceWatch::current() const {
  if (watch_) return *watch_;
  return discovery_;
}

Conversation& SliceWatch::current() {
  if (watch_) return *watch_;
  return discovery_;
}

std::optional<Question> SliceWatch::next(SteadyTime now) {
  if (watch_ && watch_->standing() == ListWatch::Standing::absent) {
    watch_.reset();
    discovery_.forget(now);
  }
  if (!watch_ && !discovery_.version().empty()) {
    watch_.emplace(ListWatchSettings{.path = fmt::format("/apis/{}/{}/resourceslices", kGroup,
                                                         discovery_.version()),
                                     .field_selector = "spec.nodeName=" + node_,
                                     .right = {.verbs = "list, watch",
                                               .resource = "resourceslices",
                                               .group = std::string(kGroup)}},
                   slices_);
  }
  return current().next(now);
}

bool SliceWatch::settled() const {
  if (watch_) return watch_->standing() != ListWatch::Standing::unasked;
  return discovery_.settled() && discovery_.version().empty();
}

}  // namespace warpsight::kubernetes

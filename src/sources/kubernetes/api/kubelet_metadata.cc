#include "sources/kubernetes/api/kubelet_metadata.h"

#include <fmt/format.h>

#include <utility>

#include "sources/kubernetes/api/refusal.h"
#include "sources/kubernetes/api/replace.h"

namespace warpsight::kubernetes {
namespace {

constexpr size_t kLargestList = size_t{32} << 20;
constexpr Duration kPeriod = std::chrono::seconds{10};
constexpr Duration kAfterForbidden = std::chrono::minutes{5};

std::string kubelet_refusal(int status, std::string_view body) {
  const std::string words = status_message(body);
  return fmt::format(
      "the kubelet does not tell its pods: HTTP status {}{}{}; {}", status,
      words.empty() ? "" : ", ", words,
      status == kForbidden
          ? "grant \"get\" on \"nodes/proxy\", or from 1.33 on \"nodes/pods\", to the agent's "
            "service account"
          : "see token_file, and whether the kubelet lets tokens in");
}

}  // namespace

KubeletPods::KubeletPods()
    : Enquiry(kLargestList),
      store_(nullptr),
      backoff_(std::chrono::seconds{1}, std::chrono::seconds{30}) {}

std::optional<Question> KubeletPods::next(SteadyTime now) {
  if (now < not_before_) return std::nullopt;
  asked_ = "/pods";
  return Question{.path = asked_};
}

void KubeletPods::answered(int status, std::string_view body, SteadyTime now) {
  answer_ = fmt::format("HTTP status {}", status);
  if (status != kOk) {
    const bool lasting = status == kForbidden || status == kNotFound;
    return fail_until(now + (lasting ? kAfterForbidden : backoff_.failed(now)),
                      kubelet_refusal(status, body));
  }
  JsonText text(kLargestList);
  const auto list = text.parse(body);
  if (!list || !list->is_object() || !(*list)["items"].exists()) {
    return fail_until(now + backoff_.failed(now),
                      "the kubelet's answer is no list of pods; see kubelet");
  }
  store_.list_begins();
  (*list)["items"].for_each([&](Json pod) { store_.put(pod); });
  store_.list_ends();
  answer_ = fmt::format("{} pods", store_.pods().size());
  problem_.clear();
  listed_ = good_ = settled_ = true;
  not_before_ = now + kPeriod;
}

void KubeletPods::unanswered(const TransportFailure& failure, SteadyTime now) {
  answer_ = failure.message;
  fail_until(now + backoff_.failed(now), failure_text(failure));
}

void KubeletPods::fail_until(SteadyTime next, std::string problem) {
  problem_ = std::move(problem);
  not_before_ = next;
  good_ = false;
  settled_ = true;
}

KubeletMetadata::KubeletMetadata(std::unique_ptr<ApiClient> client, const std::string& node)
    : client_(std::move(client)), node_({{"k8s.node.name", node}}) {
  client_->add(asked_);
}

bool KubeletMetadata::advance(Duration patience) {
  client_->advance(patience);
  const bool pods = replace(changes_told_, asked_.store().changes());
  const bool problem = replace(problem_told_, asked_.problem());
  const bool synced_now = replace(synced_told_, synced());
  return pods || problem || synced_now;
}

std::vector<Lookup> KubeletMetadata::lookups() const {
  Lookup lookup = asked_.lookup();
  if (lookup.answer.empty()) return {};
  lookup.question = "GET " + client_->url() + "/pods";
  return {std::move(lookup)};
}

}  // namespace warpsight::kubernetes

#include "sources/kubernetes/api/node_facts.h"

#include <fmt/format.h>

#include <array>

#include "sources/kubernetes/api/query.h"
#include "sources/kubernetes/api/refusal.h"

namespace warpsight::kubernetes {
namespace {

constexpr size_t kLargestNode = size_t{4} << 20;
constexpr size_t kLongestValue = 253;
constexpr Duration kAgainAfter = std::chrono::minutes{10};
constexpr Duration kAfterForbidden = std::chrono::minutes{5};

struct NodeLabel {
  std::string_view attribute;
  std::string_view label;
  std::string_view older;
};

constexpr std::array kNodeLabels = {
    NodeLabel{"cloud.region", "topology.kubernetes.io/region",
              "failure-domain.beta.kubernetes.io/region"},
    NodeLabel{"cloud.availability_zone", "topology.kubernetes.io/zone",
              "failure-domain.beta.kubernetes.io/zone"},
    NodeLabel{"host.type", "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"},
};

struct CloudProvider {
  std::string_view scheme;  // of spec.providerID
  std::string_view name;    // as OpenTelemetry has it
};

constexpr std::array kProviders = {
    CloudProvider{"aws", "aws"},
    CloudProvider{"gce", "gcp"},
    CloudProvider{"azure", "azure"},
    CloudProvider{"ibm", "ibm_cloud"},
    CloudProvider{"oci", "oracle_cloud"},
    CloudProvider{"alicloud", "alibaba_cloud"},
    CloudProvider{"qcloud", "tencent_cloud"},
};

void append(std::vector<Attribute>& attributes, std::string_view key, std::string_view value) {
  if (value.empty() || value.size() > kLongestValue) return;
  attributes.push_back({std::string(key), std::string(value)});
}

// Up to the next slash.
std::string_view segment(std::string_view path) { return path.substr(0, path.find('/')); }

// gce://PROJECT/ZONE/NAME, azure:///subscriptions/ID/resourceGroups/...; others do not tell.
std::string_view account_of(std::string_view scheme, std::string_view rest) {
  constexpr std::string_view kSubscriptions = "/subscriptions/";
  if (scheme == "gce" || scheme == "ibm") return segment(rest);
  if (scheme == "azure" && rest.starts_with(kSubscriptions)) {
    return segment(rest.substr(kSubscriptions.size()));
  }
  return {};
}

void append_cloud(std::vector<Attribute>& attributes, std::string_view provider_id) {
  if (provider_id.starts_with("ocid1."))
    return append(attributes, "cloud.provider", "oracle_cloud");
  const size_t end = provider_id.find("://");
  if (end == std::string_view::npos) return;
  const std::string_view scheme = provider_id.substr(0, end);
  for (const CloudProvider& provider : kProviders) {
    if (provider.scheme != scheme) continue;
    append(attributes, "cloud.provider", provider.name);
    append(attributes, "cloud.account.id", account_of(scheme, provider_id.substr(end + 3)));
  }
}

}  // namespace

std::vector<Attribute> read_node(const std::string& name, Json node) {
  std::vector<Attribute> attributes = {{"k8s.node.name", name}};
  append_cloud(attributes, node["spec"]["providerID"].text());
  const Json labels = node["metadata"]["labels"];
  for (const auto& [attribute, label, older] : kNodeLabels) {
    const std::string_view value = labels[label].text();
    append(attributes, attribute, value.empty() ? labels[older].text() : value);
  }
  return attributes;
}

NodeFacts::NodeFacts(std::string name)
    : Enquiry(kLargestNode),
      name_(std::move(name)),
      attributes_({{"k8s.node.name", name_}}),
      backoff_(std::chrono::seconds{1}, std::chrono::seconds{30}) {}

std::optional<Question> NodeFacts::next(SteadyTime now) {
  if (now < not_before_) return std::nullopt;
  asked_ = "/api/v1/nodes/" + percent_encode(name_);
  return Question{.path = asked_};
}

void NodeFacts::answered(int status, std::string_view body, SteadyTime now) {
  settled_ = true;
  answer_ = fmt::format("HTTP status {}", status);
  JsonText text(kLargestNode);
  const auto node = text.parse(body);
  if (status == kOk && node && node->is_object()) {
    attributes_ = read_node(name_, *node);
    problem_.clear();
    not_before_ = now + kAgainAfter;
    return;
  }
  problem_ = refusal_text({.verbs = "get", .resource = "nodes", .group = ""}, status, body);
  const bool lasting = status == kForbidden || status == kNotFound;
  not_before_ = now + (lasting ? kAfterForbidden : backoff_.failed(now));
}

void NodeFacts::unanswered(const TransportFailure& failure, SteadyTime now) {
  settled_ = true;
  answer_ = failure.message;
  problem_ = failure_text(failure);
  not_before_ = now + backoff_.failed(now);
}

}  // namespace warpsight::kubernetes

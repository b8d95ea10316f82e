#include "sources/kubernetes/api/refusal.h"

#include <fmt/format.h>

#include "net/foreign_text.h"
#include "wire/json_text.h"

namespace warpsight::kubernetes {
namespace {

constexpr size_t kMostWords = 200;
constexpr size_t kLargestStatus = size_t{64} * 1024;

std::string hint(const Right& right, int status) {
  if (status == kUnauthorized) return "see token_file: the server does not know the token";
  if (status == kForbidden) {
    return fmt::format(
        "grant \"{}\" on \"{}\" of the API group \"{}\" to the agent's service account",
        right.verbs, right.resource, right.group);
  }
  return "see the API server's log";
}

}  // namespace

std::string status_message(std::string_view body) {
  JsonText text(kLargestStatus);
  const auto status = text.parse(body);
  return status ? printable_beginning((*status)["message"].text(), kMostWords) : "";
}

std::string refusal_text(const Right& right, int status, std::string_view body) {
  const std::string words = status_message(body);
  return fmt::format("{} of {} was refused: HTTP status {}{}{}; {}", right.verbs, right.resource,
                     status, words.empty() ? "" : ", ", words, hint(right, status));
}

std::string failure_text(const TransportFailure& failure) {
  const std::string hint = failure.kind == TransportFailure::Kind::tls
                               ? "see ca_file and kubelet_ca_file"
                               : failure.hint;
  return hint.empty() ? failure.message : failure.message + "; " + hint;
}

}  // namespace warpsight::kubernetes

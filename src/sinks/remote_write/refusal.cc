#include "sinks/remote_write/refusal.h"

#include <algorithm>
#include <string_view>

namespace warpsight {
namespace {

struct Phrase {
  std::string_view words;
  Refusal refusal;
};

// Where an answer names several, the first of this list decides: cutting by series finds them all.
constexpr Phrase kPhrases[] = {
    {"too far in the future", Refusal::out_of_order},
    {"out of order sample", Refusal::out_of_order},
    {"timestamp out of order", Refusal::out_of_order},
    {"err-mimir-sample-out-of-order", Refusal::out_of_order},
    {"duplicate sample for timestamp", Refusal::out_of_order},
    {"err-mimir-sample-duplicate-timestamp", Refusal::out_of_order},
    {"too old sample", Refusal::out_of_order},
    {"out of bounds", Refusal::out_of_bounds},
    {"err-mimir-sample-timestamp-too-old", Refusal::out_of_bounds},
    {"timestamp too old", Refusal::out_of_bounds},
};

}  // namespace

Refusal refusal_of(const HttpReply& reply) {
  if (reply.status != 400 && reply.status != 409) return Refusal::none;
  const auto found = std::ranges::find_if(kPhrases, [&](const Phrase& phrase) {
    return reply.body.find(phrase.words) != std::string::npos;
  });
  return found == std::end(kPhrases) ? Refusal::none : found->refusal;
}

}  // namespace warpsight

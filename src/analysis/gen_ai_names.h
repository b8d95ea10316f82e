// The serving engines' latencies once more, under the names of OpenTelemetry's generative AI
// conventions (gen_ai.server.*).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/registry.h"

namespace warpsight {

struct ServerAddress {
  std::string address;
  std::string port;  // empty: there is none
};

// "host:8000", "[::1]:8000"; a socket's path and an address without a port stay whole.
ServerAddress split_server_address(std::string_view text);

// Histograms keep the engine's own bounds, counts, sum and start. What tells two models, ranks or
// facets apart stays with them, as the conventions have no name for it; where two series would
// still be one, the first alone is told. The time between tokens (llm.itl) has no name there: time
// per output token is the mean of a request. An entity ends when nothing is said of it any more.
// Allocates only for what is new.
class GenAiNames final : public Analysis {
 public:
  explicit GenAiNames(EntityTable& entities) : entities_(entities) {}
  void run(const View& view, Batch& out) override;

 private:
  struct Target {
    EntityId entity;  // by the conventions' attributes
    bool seen = false;
  };

  Target& target_of(EntityId source);
  EntityId make_entity(EntityId source) const;
  void end_unseen(Batch& out);

  EntityTable& entities_;
  std::unordered_map<uint32_t, Target> targets_;  // by the entity of our series
  std::unordered_map<uint32_t, uint8_t> told_;    // by theirs: a bit for each metric
};

}  // namespace warpsight

// What a peer says about a request that it took: which part of it not, and why. Metrics and logs
// are answered alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsight::otlp {

struct PartialSuccess {
  uint64_t rejected = 0;  // data points or log records
  std::string words;      // why, as the peer wrote it; a warning where nothing was rejected
};

// nullopt for bytes that are no answer. An empty body says that all was taken.
std::optional<PartialSuccess> decode_response(std::string_view body);
std::optional<PartialSuccess> decode_json_response(std::string_view body);

}  // namespace warpsight::otlp

// What stands around the metrics or log records of a request: one resource, one scope, and the
// version of the conventions that names follow. Metrics and logs have it in the same places.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/entity.h"

namespace warpsight::otlp {

class Envelope {
 public:
  // `version` is the agent's; empty: not told.
  Envelope(std::span<const Attribute> resource, std::string_view version);

  // Of a request whose metrics or log records take `items` bytes.
  size_t request_size(size_t items) const;

  // Appends all that comes before them; nothing comes after.
  void append(std::string& out, size_t items) const;

 private:
  std::string resource_;  // resource and schema
  std::string scope_;     // scope and schema
};

}  // namespace warpsight::otlp

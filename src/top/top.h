// What `warpsight top` does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.h"
#include "top/source.h"

namespace warpsight::top {

// A host as a person names it, and where its documents come from.
struct NamedSource {
  std::string name;
  std::unique_ptr<NodeSource> source;
};

struct TopSettings {
  enum class Output : uint8_t {
    screen,
    once,  // a plain table
    json,  // the document; of several hosts an array, with {"host", "error"} for those that failed
  };

  Output output = Output::screen;
  bool colour = true;                           // NO_COLOR in the environment decides too
  bool ascii = false;                           // even where the locale could show more
  Duration interval = std::chrono::seconds{2};  // between two questions to a host
};

// Returns the exit status: 0, or 1 when a host did not answer (once, json) or there is no screen.
// Errors go to standard error. `sources` has one at least.
int run_top(const TopSettings& settings, std::vector<NamedSource> sources, const Clock& clock);

}  // namespace warpsight::top

// Where the documents of one node come from: an agent that runs, or a pipeline in this process.
#pragma once

#include <string>

#include "core/result.h"
#include "top/node.h"

namespace warpsight::top {

// Asked on a thread of its own, so it may block; interrupt() comes from another.
class NodeSource {
 public:
  virtual ~NodeSource() = default;

  // The text of /api/v1/now.
  virtual Result<std::string> now() = 0;
  // The text of /api/v1/series for the last minutes of the GPUs of `node`. An error where there is
  // no history: nobody hears of it.
  virtual Result<std::string> past(const Node& node);
  // Ends what is under way, and all that is asked later.
  virtual void interrupt() {}
};

}  // namespace warpsight::top

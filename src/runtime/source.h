// A source reads one thing and appends what it read. It knows nothing of sinks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch.h"
#include "core/clock.h"
#include "core/entity.h"
#include "core/result.h"
#include "runtime/call_trace.h"
#include "runtime/options.h"

namespace warpsight {

// All a source may know of the world. References outlive it.
struct SourceContext {
  const Clock& clock;
  EntityTable& entities;
  const Options& options;
  CallTrace& trace;        // a source in a probe names each driver call here
  std::string root = "/";  // where /proc, /sys and /dev are
  std::string state_dir;   // for what must survive a restart; empty: nothing survives
  std::string simulate;    // scenario to play instead of reading hardware; empty: never invent
  std::vector<std::string> skip_devices;  // leave these addresses alone: they are quarantined
  std::vector<std::string> only_devices;  // not empty: look at these alone
  std::string name = {};                  // of the section: "scrape", "scrape/far"
};

class Source {
 public:
  virtual ~Source() = default;

  // Appends what can be read now; called every `period`. An error means the run as a whole
  // failed; what was appended before it counts all the same.
  virtual Result<> collect(Batch& out) = 0;

  // More of the same run is to come: collect() is called again at once, after what it appended was
  // taken. For a source that waits for many, so that the quick ones do not wait for the slow ones.
  virtual bool unfinished() const { return false; }

  // It was taken out of the config: what only it tells of is no more.
  virtual void retire(Batch& /*out*/) {}

  // Addresses that were skipped so far and may be read again (from quarantine).
  virtual void admit(std::string_view /*device*/) {}
};

// One line of `doctor`: something this source needs, and whether it is there.
struct Finding {
  enum class State { ok, missing, degraded } state = State::ok;
  std::string what;
  std::string hint;  // which package, privilege or setting would fix it
};

enum class Isolation {
  thread,  // our own code: runs on a lane inside the agent
  probe,   // vendor code: runs in a child that may hang or die
};

// A row of the table of sources. Every source has the options `enabled` and `period`.
struct SourceDef {
  std::string_view name;
  std::string_view summary;
  Isolation isolation;
  std::string_view vendor;  // gpu.vendor of what a probe reads; empty for the others
  std::span<const OptionDef> options;
  Result<std::unique_ptr<Source>> (*make)(const SourceContext&);
  std::vector<Finding> (*diagnose)(const SourceContext&);
  // Whether this machine has anything for it to read; without one it always has. A source that
  // finds nothing is not started unless the config says so, and looked for again now and then.
  bool (*present)(const SourceContext&) = nullptr;
  bool repeatable = false;  // the config may name several: `scrape`, `scrape/far`
  // It tells of devices and processes that others find: the first publish waits until it has run
  // after them.
  bool follows_devices = false;
};

}  // namespace warpsight

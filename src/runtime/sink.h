// A sink encodes snapshots and hands them over. Encoding runs under the registry's lock and must
// be quick; delivering runs on the sink's own thread and may take its time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/entity.h"
#include "core/registry.h"
#include "core/result.h"
#include "runtime/options.h"

namespace warpsight {

struct SinkContext {
  const Clock& clock;
  const EntityTable& entities;
  const Options& options;
  // Stated once in every output: host.name, the configured attributes, simulated=true.
  std::span<const Attribute> resource;
};

class Sink {
 public:
  virtual ~Sink() = default;

  // Appends the snapshot in the sink's format to `out`, a buffer that is kept from tick to tick.
  virtual void encode(const Snapshot& snapshot, std::string& out) = 0;

  virtual Result<> deliver(std::string_view batch) = 0;
};

// A row of the table of sinks. Every sink has the option `enabled`.
struct SinkDef {
  std::string_view name;
  std::string_view summary;
  std::span<const OptionDef> options;
  Result<std::unique_ptr<Sink>> (*make)(const SinkContext&);
};

}  // namespace warpsight

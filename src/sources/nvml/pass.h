// One GPU's turn in one run of the source: what its readers need, and what they must tell back.
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/batch.h"
#include "core/clock.h"
#include "core/entity.h"
#include "runtime/source.h"
#include "sources/nvml/library.h"
#include "sources/nvml/reading.h"

namespace warpsight::nvml {

// Buffers for the driver to write into, shared by all GPUs since calls are serialised.
struct Workspace {
  std::vector<abi::Sample> samples = std::vector<abi::Sample>(1024);
  std::vector<abi::ProcessInfo> processes = std::vector<abi::ProcessInfo>(64);
  std::vector<abi::ProcessInfoV1> processes_v1 = std::vector<abi::ProcessInfoV1>(64);
  std::vector<abi::ProcessUtilizationSample> process_samples =
      std::vector<abi::ProcessUtilizationSample>(256);
  std::array<abi::FieldValue, 64> fields{};
  abi::GpmMetricsGet gpm{};
};

class Pass {
 public:
  Pass(const SourceContext& source_context, const Library& library, Workspace& buffers,
       abi::Device device, Batch& batch)
      : context(source_context), lib(library), workspace(buffers), handle(device), out(batch) {}

  // Points from now on belong to a class of readings that is due every `how_often`.
  void begin(Duration how_often);

  // Asks, unless it is known to be in vain. True: the answer is there. False: `reading` knows why,
  // and so does the batch when that is news.
  template <typename... P, typename... A>
  bool get(Reading& reading, const Function<abi::Return(P...)>& function, A... arguments) {
    return !halted() && reading.wanted() && settle(reading, function(arguments...));
  }
  // The same for the newer form of a call. Where the driver lacks it `exists` turns false and
  // nothing is said: the older form is to be asked then.
  template <typename... P, typename... A>
  bool get_newer(bool& exists, Reading& reading, const Function<abi::Return(P...)>& function,
                 A... arguments) {
    if (halted() || !exists || !reading.wanted()) return false;
    const abi::Return result = function(arguments...);
    exists = classify(result) != Outcome::unsupported;
    return exists && settle(reading, result);
  }
  // The same for a result that the caller got by itself.
  bool settle(Reading& reading, abi::Return result);
  void unsupported(Reading& reading, std::string_view detail) {
    reading.absent(Absence::unsupported, detail, out);
  }

  // A series whose entity found no place in the table is left out.
  void add(const Series& series, double value) { add(series, value, now); }
  void add(const Series& series, double value, Time time) {
    if (series.entity) out.add(series.metric, series.entity, value, time);
  }

  // No further call may be made for this GPU (or, for driver_gone, at all).
  bool halted() const { return halt != abi::Return::success; }

  const SourceContext& context;
  const Library& lib;
  Workspace& workspace;
  abi::Device handle;
  Batch& out;
  Time now{};
  Duration period{};
  abi::Return halt = abi::Return::success;
};

inline EntityId facet(EntityTable& entities, EntityId parent,
                      std::initializer_list<AttributeView> attributes) {
  return entities.intern(EntityKind::facet, parent, attributes);
}

}  // namespace warpsight::nvml

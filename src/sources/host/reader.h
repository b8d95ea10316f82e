// One theme of the host: CPU, memory, disks... Each reads alone and fails alone.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/batch.h"
#include "core/clock.h"
#include "core/entity.h"
#include "platform/file.h"
#include "runtime/options.h"

namespace warpsight::host {

// Cheap to make: what a host does not have fails at every try.
struct ReadError {
  Absence why;
  std::string_view path;
  int error;  // errno, or 0 when the contents made no sense

  std::string describe() const;
};
using ReadResult = tl::expected<void, ReadError>;

// What the readers share. References outlive them.
struct HostContext {
  const Clock& clock;
  EntityTable& entities;
  const Options& options;
  std::string root;
  EntityId host;        // the entity every other of this source is below
  std::string& buffer;  // file contents; valid until the next read by anyone
};

class Reader {
 public:
  virtual ~Reader() = default;

  // What is missing while read() fails.
  virtual std::span<const Metric> metrics() const = 0;

  virtual ReadResult read(Batch& out) = 0;
};

// A file this kernel does not have is unsupported, any other trouble a failure.
tl::unexpected<ReadError> unreadable(std::string_view path, int error);
inline tl::unexpected<ReadError> unreadable(const FileReader& file) {
  return unreadable(file.path(), file.error());
}
tl::unexpected<ReadError> malformed(const FileReader& file);

// The agent sees its own namespaces under "/"; under another root those of the host's first
// process are meant.
std::string process_file(const HostContext& context, std::string_view name);

// No point without an entity: the table may be full.
inline void put(Batch& out, Metric metric, EntityId entity, double value) {
  if (entity) out.add(metric, entity, value);
}

inline void end(Batch& out, EntityId entity) {
  if (entity) out.gone.push_back(entity);
}

std::unique_ptr<Reader> make_cpu_reader(const HostContext& context);
std::unique_ptr<Reader> make_load_reader(const HostContext& context);
std::unique_ptr<Reader> make_uptime_reader(const HostContext& context);
std::unique_ptr<Reader> make_memory_reader(const HostContext& context);
std::unique_ptr<Reader> make_pressure_reader(const HostContext& context);
std::unique_ptr<Reader> make_disk_reader(const HostContext& context);
std::unique_ptr<Reader> make_network_reader(const HostContext& context);
// These change slowly or cost more.
std::unique_ptr<Reader> make_filesystem_reader(const HostContext& context);
std::unique_ptr<Reader> make_numa_reader(const HostContext& context);

// `io` finds the ports for both and must be read first.
struct RdmaReaders {
  std::unique_ptr<Reader> io;
  std::unique_ptr<Reader> health;  // slow: an adapter may ask its firmware for each counter
};
RdmaReaders make_rdma_readers(const HostContext& context);

}  // namespace warpsight::host

// InfiniBand and RoCE ports, from /sys/class/infiniband.
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "sources/host/rdma_counters.h"
#include "sources/host/reader.h"
#include "sources/sysfs/device_set.h"
#include "sources/sysfs/directory.h"
#include "sources/sysfs/text.h"

namespace warpsight::host {
namespace {

constexpr std::array kIoMetrics = {Metric::system_rdma_io, Metric::system_rdma_link_active};
constexpr std::array kHealthMetrics = {Metric::system_rdma_errors, Metric::system_rdma_link_rate};
constexpr size_t kMaxAdapters = 128;
constexpr size_t kMaxPorts = 16;  // of one adapter
constexpr uint64_t kActive = 4;   // of the port states IB_PORT_NOP.. IB_PORT_ACTIVE_DEFER

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// A file with one number, and the entity that number is of.
struct Counter {
  std::string path;
  EntityId entity;
};

struct Port {
  EntityId entity;
  std::string state;
  std::string rate;
  Counter receive;
  Counter transmit;
  double unit = 4;  // the specification counts words of four octets
  std::vector<Counter> errors;
};

class Ports {
 public:
  explicit Ports(const HostContext& context)
      : entities_(context.entities),
        host_(context.host),
        directory_(under_root(context.root, "/sys/class/infiniband")),
        adapters_(kMaxAdapters) {}

  const std::string& path() const { return directory_.path(); }

  // Looks which adapters there are. Returns errno.
  int refresh(Batch& out) {
    adapters_.begin();
    error_ = directory_.for_each([&](std::string_view name) {
      adapters_.visit(name, [&](std::string_view n) { return make_adapter(n); });
    });
    adapters_.sweep([&](const Adapter& adapter) { end(out, adapter.entity); });
    return error_;
  }
  // Of the last refresh().
  int error() const { return error_; }

  template <typename Fn>
  void for_each(Fn&& fn) const {
    adapters_.for_each([&](std::string_view, const Adapter& adapter) {
      for (const Port& port : adapter.ports) fn(port);
    });
  }

 private:
  struct Adapter {
    EntityId entity;
    std::vector<Port> ports;
  };

  EntityId facet(EntityId parent, std::string_view key, std::string_view value) {
    return entities_.intern(EntityKind::facet, parent, {{key, value}});
  }

  Adapter make_adapter(std::string_view name) {
    Adapter adapter{facet(host_, "system.device", name), {}};
    const std::string ports = directory_.path() + "/" + std::string(name) + "/ports";
    Directory(ports).for_each([&](std::string_view number) {
      if (adapter.ports.size() >= kMaxPorts || !to_number<unsigned>(number)) return;
      adapter.ports.push_back(make_port(ports + "/" + std::string(number) + "/",
                                        facet(adapter.entity, "system.rdma.port", number)));
    });
    return adapter;
  }

  Port make_port(const std::string& path, EntityId entity) {
    Port port{entity,
              path + "state",
              path + "rate",
              {path + "counters/port_rcv_data", facet(entity, "network.io.direction", "receive")},
              {path + "counters/port_xmit_data", facet(entity, "network.io.direction", "transmit")},
              4,
              {}};
    if (!exists(port.transmit.path)) {
      // Adapters without InfiniBand's own counters (efa) count octets.
      port.receive.path = path + "hw_counters/rx_bytes";
      port.transmit.path = path + "hw_counters/tx_bytes";
      port.unit = 1;
    }
    for (const std::string_view name : kPortErrors) add_error(port, path + "counters/", name);
    for (const std::string_view name : kHardwareErrors)
      add_error(port, path + "hw_counters/", name);
    return port;
  }

  void add_error(Port& port, std::string path, std::string_view name) {
    path += name;
    if (!exists(path)) return;
    port.errors.push_back({std::move(path), facet(port.entity, "system.rdma.counter", name)});
  }

  EntityTable& entities_;
  EntityId host_;
  Directory directory_;
  DeviceSet<Adapter> adapters_;
  int error_ = 0;
};

void add_counter(Metric metric, const Counter& counter, double unit, Batch& out) {
  if (const auto value = read_number_file(counter.path.c_str())) {
    put(out, metric, counter.entity, static_cast<double>(*value) * unit);
  }
}

// "4: ACTIVE"
std::optional<uint64_t> read_state(const std::string& path) {
  std::array<char, 64> buffer;
  const auto text = read_tiny_file(path.c_str(), buffer);
  if (!text) return std::nullopt;
  return to_number<uint64_t>(text->substr(0, text->find(':')));
}

// "200 Gb/sec (4X HDR)", in bytes a second.
std::optional<double> read_rate(const std::string& path) {
  std::array<char, 64> buffer;
  const auto text = read_tiny_file(path.c_str(), buffer);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  const auto gigabits = to_real(next_word(rest));
  if (!gigabits || next_word(rest) != "Gb/sec") return std::nullopt;
  return *gigabits * 1e9 / 8;
}

class RdmaIoReader final : public Reader {
 public:
  explicit RdmaIoReader(std::shared_ptr<Ports> ports) : ports_(std::move(ports)) {}

  std::span<const Metric> metrics() const override { return kIoMetrics; }

  ReadResult read(Batch& out) override {
    if (const int error = ports_->refresh(out); error != 0) {
      return unreadable(ports_->path(), error);
    }
    ports_->for_each([&](const Port& port) {
      add_counter(Metric::system_rdma_io, port.receive, port.unit, out);
      add_counter(Metric::system_rdma_io, port.transmit, port.unit, out);
      if (const auto state = read_state(port.state)) {
        put(out, Metric::system_rdma_link_active, port.entity, *state == kActive ? 1 : 0);
      }
    });
    return {};
  }

 private:
  std::shared_ptr<Ports> ports_;
};

class RdmaHealthReader final : public Reader {
 public:
  explicit RdmaHealthReader(std::shared_ptr<Ports> ports) : ports_(std::move(ports)) {}

  std::span<const Metric> metrics() const override { return kHealthMetrics; }

  ReadResult read(Batch& out) override {
    if (ports_->error() != 0) return unreadable(ports_->path(), ports_->error());
    ports_->for_each([&](const Port& port) {
      for (const Counter& counter : port.errors) {
        add_counter(Metric::system_rdma_errors, counter, 1, out);
      }
      if (const auto rate = read_rate(port.rate)) {
        put(out, Metric::system_rdma_link_rate, port.entity, *rate);
      }
    });
    return {};
  }

 private:
  std::shared_ptr<Ports> ports_;
};

}  // namespace

RdmaReaders make_rdma_readers(const HostContext& context) {
  const auto ports = std::make_shared<Ports>(context);
  return {std::make_unique<RdmaIoReader>(ports), std::make_unique<RdmaHealthReader>(ports)};
}

}  // namespace warpsight::host

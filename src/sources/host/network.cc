// Network interfaces, from /proc/net/dev of the host's network namespace.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "sources/host/reader.h"
#include "sources/sysfs/device_set.h"
#include "sources/sysfs/text.h"

namespace warpsight::host {
namespace {

constexpr std::array kMetrics = {Metric::system_network_io, Metric::system_network_errors,
                                 Metric::system_network_dropped};
constexpr size_t kMaxInterfaces = 4096;
constexpr size_t kColumns = 16;  // eight for what was received, eight for what was sent

struct Interface {
  bool wanted = false;
  EntityId entity;
  EntityId receive;
  EntityId transmit;
};

std::optional<std::array<uint64_t, kColumns>> parse_columns(std::string_view fields) {
  std::array<uint64_t, kColumns> columns;
  for (uint64_t& column : columns) {
    const auto number = next_number(fields);
    if (!number) return std::nullopt;
    column = *number;
  }
  return columns;
}

class NetworkReader final : public Reader {
 public:
  explicit NetworkReader(const HostContext& context)
      : context_(context),
        file_(process_file(context, "net/dev")),
        ignored_(context.options.list("network_ignore")),
        interfaces_(kMaxInterfaces) {}

  std::span<const Metric> metrics() const override { return kMetrics; }

  ReadResult read(Batch& out) override {
    const auto text = file_.read(context_.buffer);
    if (!text) return unreadable(file_);
    std::string_view rest = *text;
    interfaces_.begin();
    while (!rest.empty()) add_line(next_line(rest), out);
    interfaces_.sweep([&](const Interface& interface) { end(out, interface.entity); });
    return {};
  }

 private:
  void add_line(std::string_view line, Batch& out) {
    // An alias ("eth0:1") has a colon in its name; the counters have none.
    const size_t colon = line.find_last_of(':');
    if (colon == std::string_view::npos) return;
    const std::string_view name = trim(line.substr(0, colon));
    const auto columns = parse_columns(line.substr(colon + 1));
    if (name.empty() || !columns) return;
    const Interface* interface =
        interfaces_.visit(name, [&](std::string_view n) { return make_interface(n); });
    if (interface == nullptr || !interface->wanted) return;
    add(std::span(*columns).first<8>(), interface->receive, out);
    add(std::span(*columns).last<8>(), interface->transmit, out);
  }

  // Bytes, packets, errors, drops, and four that nobody asked for.
  static void add(std::span<const uint64_t, 8> columns, EntityId entity, Batch& out) {
    put(out, Metric::system_network_io, entity, static_cast<double>(columns[0]));
    put(out, Metric::system_network_errors, entity, static_cast<double>(columns[2]));
    put(out, Metric::system_network_dropped, entity, static_cast<double>(columns[3]));
  }

  Interface make_interface(std::string_view name) {
    if (is_ignored(name)) return {};
    EntityTable& entities = context_.entities;
    const EntityId entity =
        entities.intern(EntityKind::facet, context_.host, {{"network.interface.name", name}});
    return {true, entity, direction_of(entity, "receive"), direction_of(entity, "transmit")};
  }

  EntityId direction_of(EntityId parent, std::string_view direction) {
    return context_.entities.intern(EntityKind::facet, parent,
                                    {{"network.io.direction", direction}});
  }

  bool is_ignored(std::string_view name) const {
    return std::ranges::any_of(ignored_, [&](std::string_view pattern) {
      if (!pattern.ends_with('*')) return pattern == name;
      pattern.remove_suffix(1);
      return name.starts_with(pattern);
    });
  }

  const HostContext& context_;
  FileReader file_;
  const Options::List& ignored_;
  DeviceSet<Interface> interfaces_;
};

}  // namespace

std::unique_ptr<Reader> make_network_reader(const HostContext& context) {
  return std::make_unique<NetworkReader>(context);
}

}  // namespace warpsight::host

// Pages that had to come from another NUMA node than asked for, from sysfs.
#include <array>

#include "sources/host/reader.h"
#include "sources/sysfs/device_set.h"
#include "sources/sysfs/directory.h"
#include "sources/sysfs/text.h"

namespace warpsight::host {
namespace {

constexpr std::array kMetrics = {Metric::system_numa_misses};
constexpr size_t kMaxNodes = 1024;

struct Node {
  FileReader numastat;
  EntityId entity;
};

class NumaReader final : public Reader {
 public:
  explicit NumaReader(const HostContext& context)
      : context_(context),
        directory_(under_root(context.root, "/sys/devices/system/node")),
        nodes_(kMaxNodes) {}

  std::span<const Metric> metrics() const override { return kMetrics; }

  ReadResult read(Batch& out) override {
    nodes_.begin();
    const int error = directory_.for_each([&](std::string_view name) {
      if (!name.starts_with("node") || !to_number<unsigned>(name.substr(4))) return;
      Node* node = nodes_.visit(name.substr(4), [&](std::string_view n) { return make_node(n); });
      if (node != nullptr) add(*node, out);
    });
    nodes_.sweep([&](const Node& node) { end(out, node.entity); });
    if (error != 0) return unreadable(directory_.path(), error);
    return {};
  }

 private:
  Node make_node(std::string_view number) {
    return {
        FileReader(directory_.path() + "/node" + std::string(number) + "/numastat"),
        context_.entities.intern(EntityKind::facet, context_.host, {{"system.numa.node", number}})};
  }

  void add(Node& node, Batch& out) {
    const auto text = node.numastat.read(context_.buffer);
    if (!text) return;
    std::string_view rest = *text;
    while (!rest.empty()) {
      std::string_view line = next_line(rest);
      if (next_word(line) != "numa_miss") continue;
      if (const auto pages = next_number(line)) {
        put(out, Metric::system_numa_misses, node.entity, static_cast<double>(*pages));
      }
      return;
    }
  }

  const HostContext& context_;
  Directory directory_;
  DeviceSet<Node> nodes_;
};

}  // namespace

std::unique_ptr<Reader> make_numa_reader(const HostContext& context) {
  return std::make_unique<NumaReader>(context);
}

}  // namespace warpsight::host

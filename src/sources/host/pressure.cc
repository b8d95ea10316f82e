// Stall time by resource (PSI), from /proc/pressure.
#include <array>
#include <vector>

#include "sources/host/reader.h"
#include "sources/sysfs/text.h"

namespace warpsight::host {
namespace {

constexpr std::array kMetrics = {Metric::system_pressure_time};

struct Resource {
  FileReader file;
  EntityId some;
  EntityId full;
};

class PressureReader final : public Reader {
 public:
  explicit PressureReader(const HostContext& context) : context_(context) {
    for (const std::string_view name : {"cpu", "memory", "io"}) {
      const EntityId resource = context.entities.intern(EntityKind::facet, context.host,
                                                        {{"system.pressure.resource", name}});
      resources_.push_back(
          {FileReader(under_root(context.root, "/proc/pressure/" + std::string(name))),
           kind_of(resource, "some"), kind_of(resource, "full")});
    }
  }

  std::span<const Metric> metrics() const override { return kMetrics; }

  ReadResult read(Batch& out) override {
    ReadResult worst{};
    size_t added = 0;
    for (Resource& resource : resources_) {
      const auto text = resource.file.read(context_.buffer);
      if (text) {
        added += add(resource, *text, out);
      } else {
        worst = unreadable(resource.file);
      }
    }
    if (added > 0) return {};
    return worst ? malformed(resources_.front().file) : worst;
  }

 private:
  EntityId kind_of(EntityId resource, std::string_view kind) {
    return context_.entities.intern(EntityKind::facet, resource, {{"system.pressure.kind", kind}});
  }

  // Lines such as "some avg10=0.00 avg60=0.12 avg300=0.05 total=123456", the total in µs.
  static size_t add(const Resource& resource, std::string_view text, Batch& out) {
    size_t added = 0;
    while (!text.empty()) {
      std::string_view line = next_line(text);
      const std::string_view kind = next_word(line);
      if (kind != "some" && kind != "full") continue;
      const size_t at = line.find("total=");
      if (at == std::string_view::npos) continue;
      const auto total = to_number<uint64_t>(trim(line.substr(at + 6)));
      if (!total) continue;
      put(out, Metric::system_pressure_time, kind == "some" ? resource.some : resource.full,
          static_cast<double>(*total) / 1e6);
      ++added;
    }
    return added;
  }

  const HostContext& context_;
  std::vector<Resource> resources_;
};

}  // namespace

std::unique_ptr<Reader> make_pressure_reader(const HostContext& context) {
  return std::make_unique<PressureReader>(context);
}

}  // namespace warpsight::host

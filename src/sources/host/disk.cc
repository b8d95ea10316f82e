// Whole disks, from /proc/diskstats.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "sources/host/reader.h"
#include "sources/sysfs/device_set.h"
#include "sources/sysfs/text.h"

namespace warpsight::host {
namespace {

constexpr std::array kMetrics = {Metric::system_disk_io, Metric::system_disk_operation_time};
constexpr size_t kMaxDisks = 1024;
constexpr double kSector = 512;  // whatever the disk's own sector is

// Backed by memory or by a file of another disk.
constexpr std::array<std::string_view, 4> kVirtual = {"loop", "ram", "zram", "fd"};

// The kernel prints these milliseconds as 32 bits; a disk with a deep queue fills them in hours.
class WideCounter {
 public:
  uint64_t extend(uint64_t low) {
    constexpr uint64_t kHalf = uint64_t{1} << 31;
    const bool wrapped = low < last_ && last_ - low > kHalf && last_ < 2 * kHalf;
    if (wrapped) base_ += 2 * kHalf;
    if (low < last_ && !wrapped) base_ = 0;
    last_ = low;
    return base_ + low;
  }

 private:
  uint64_t base_ = 0;
  uint64_t last_ = 0;
};

struct Disk {
  bool whole = false;
  EntityId entity;
  EntityId read;
  EntityId write;
  WideCounter read_time;
  WideCounter write_time;
};

struct Direction {
  uint64_t sectors;
  uint64_t milliseconds;
};

// Operations, merged, sectors, milliseconds.
std::optional<Direction> parse_direction(std::string_view& line) {
  const auto operations = next_number(line);
  const auto merged = next_number(line);
  const auto sectors = next_number(line);
  const auto milliseconds = next_number(line);
  if (!operations || !merged || !sectors || !milliseconds) return std::nullopt;
  return Direction{*sectors, *milliseconds};
}

class DiskReader final : public Reader {
 public:
  explicit DiskReader(const HostContext& context)
      : context_(context),
        diskstats_(under_root(context.root, "/proc/diskstats")),
        disks_(kMaxDisks) {}

  std::span<const Metric> metrics() const override { return kMetrics; }

  ReadResult read(Batch& out) override {
    const auto text = diskstats_.read(context_.buffer);
    if (!text) return unreadable(diskstats_);
    std::string_view rest = *text;
    disks_.begin();
    while (!rest.empty()) add_line(next_line(rest), out);
    disks_.sweep([&](const Disk& disk) { end(out, disk.entity); });
    return {};
  }

 private:
  void add_line(std::string_view line, Batch& out) {
    next_word(line);  // major
    next_word(line);  // minor
    const std::string_view name = next_word(line);
    if (name.empty()) return;
    Disk* disk = disks_.visit(name, [&](std::string_view n) { return make_disk(n); });
    if (disk == nullptr || !disk->whole) return;
    const auto reads = parse_direction(line);
    const auto writes = parse_direction(line);
    if (!reads || !writes) return;
    add(*reads, disk->read, disk->read_time, out);
    add(*writes, disk->write, disk->write_time, out);
  }

  static void add(const Direction& direction, EntityId entity, WideCounter& time, Batch& out) {
    put(out, Metric::system_disk_io, entity, static_cast<double>(direction.sectors) * kSector);
    put(out, Metric::system_disk_operation_time, entity,
        static_cast<double>(time.extend(direction.milliseconds)) / 1e3);
  }

  Disk make_disk(std::string_view name) {
    Disk disk;
    disk.whole = is_whole_disk(name);
    if (!disk.whole) return disk;
    EntityTable& entities = context_.entities;
    disk.entity = entities.intern(EntityKind::facet, context_.host, {{"system.device", name}});
    disk.read = entities.intern(EntityKind::facet, disk.entity, {{"disk.io.direction", "read"}});
    disk.write = entities.intern(EntityKind::facet, disk.entity, {{"disk.io.direction", "write"}});
    return disk;
  }

  // Partitions have no folder of their own in /sys/block.
  bool is_whole_disk(std::string_view name) const {
    const auto is_virtual = [&](std::string_view prefix) {
      return name.starts_with(prefix) && name.size() > prefix.size() &&
             name[prefix.size()] >= '0' && name[prefix.size()] <= '9';
    };
    if (std::ranges::any_of(kVirtual, is_virtual)) return false;
    std::string folder = "/sys/block/" + std::string(name);
    std::ranges::replace(folder.begin() + 11, folder.end(), '/', '!');
    return access(under_root(context_.root, folder).c_str(), F_OK) == 0;
  }

  const HostContext& context_;
  FileReader diskstats_;
  DeviceSet<Disk> disks_;
};

}  // namespace

std::unique_ptr<Reader> make_disk_reader(const HostContext& context) {
  return std::make_unique<DiskReader>(context);
}

}  // namespace warpsight::host

// How full the local file systems are.
#include <sys/statvfs.h>

#include <array>
#include <optional>

#include "sources/host/mounts.h"
#include "sources/host/reader.h"
#include "sources/sysfs/device_set.h"

namespace warpsight::host {
namespace {

constexpr std::array kMetrics = {Metric::system_filesystem_utilization};

struct FileSystem {
  std::string path;  // under the root
  EntityId entity;
};

// As df computes it: what only root may still use counts neither as used nor as free.
std::optional<double> utilization(const char* path) {
  struct statvfs info{};
  if (statvfs(path, &info) != 0 || info.f_blocks == 0 || info.f_bfree > info.f_blocks) {
    return std::nullopt;
  }
  const auto used = static_cast<double>(info.f_blocks - info.f_bfree);
  const double all = used + static_cast<double>(info.f_bavail);
  if (all <= 0) return std::nullopt;
  return used / all;
}

class FilesystemReader final : public Reader {
 public:
  explicit FilesystemReader(const HostContext& context)
      : context_(context),
        mountinfo_(process_file(context, "mountinfo")),
        file_systems_(kMaxMounts) {}

  std::span<const Metric> metrics() const override { return kMetrics; }

  ReadResult read(Batch& out) override {
    const auto text = mountinfo_.read(context_.buffer);
    if (!text) return unreadable(mountinfo_);
    if (*text != parsed_) refresh(*text, out);
    file_systems_.for_each([&](std::string_view, const FileSystem& file_system) {
      if (const auto value = utilization(file_system.path.c_str())) {
        put(out, Metric::system_filesystem_utilization, file_system.entity, *value);
      }
    });
    return {};
  }

 private:
  void refresh(std::string_view text, Batch& out) {
    parsed_ = text;
    file_systems_.begin();
    for (const Mount& mount : measurable_mounts(parsed_)) {
      file_systems_.visit(mount.device + '\n' + mount.point,
                          [&](std::string_view) { return make_file_system(mount); });
    }
    file_systems_.sweep([&](const FileSystem& ended) { end(out, ended.entity); });
  }

  FileSystem make_file_system(const Mount& mount) {
    return {under_root(context_.root, mount.point),
            context_.entities.intern(
                EntityKind::facet, context_.host,
                {{"system.device", mount.device}, {"system.filesystem.mountpoint", mount.point}})};
  }

  const HostContext& context_;
  FileReader mountinfo_;
  std::string parsed_;  // the text the file systems below came from
  DeviceSet<FileSystem> file_systems_;
};

}  // namespace

std::unique_ptr<Reader> make_filesystem_reader(const HostContext& context) {
  return std::make_unique<FilesystemReader>(context);
}

}  // namespace warpsight::host

#include "sources/host/mounts.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sources/sysfs/text.h"

namespace warpsight::host {
namespace {

constexpr std::array<std::string_view, 16> kLocalTypes = {
    "ext2", "ext3", "ext4",     "xfs",   "btrfs", "zfs",   "f2fs",   "bcachefs",
    "jfs",  "ntfs", "reiserfs", "ntfs3", "vfat",  "exfat", "nilfs2", "ufs"};

// Not worth measuring, but a path through them cannot hang.
constexpr std::array<std::string_view, 26> kHarmlessTypes = {
    "rootfs",   "tmpfs",     "devtmpfs", "ramfs",       "overlay", "proc",    "sysfs",
    "devpts",   "cgroup",    "cgroup2",  "squashfs",    "erofs",   "iso9660", "udf",
    "mqueue",   "debugfs",   "tracefs",  "securityfs",  "pstore",  "bpf",     "configfs",
    "efivarfs", "hugetlbfs", "fusectl",  "binfmt_misc", "nsfs"};

enum class Kind { local, harmless, risky };

Kind kind_of(std::string_view type) {
  if (std::ranges::find(kLocalTypes, type) != kLocalTypes.end()) return Kind::local;
  if (std::ranges::find(kHarmlessTypes, type) != kHarmlessTypes.end()) return Kind::harmless;
  return Kind::risky;
}

// Blanks, tabs, newlines and backslashes are written as \ooo.
std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto code = text[i] == '\\' && i + 3 < text.size()
                          ? to_number<unsigned>(text.substr(i + 1, 3), 8)
                          : std::nullopt;
    if (code && *code < 256) {
      out += static_cast<char>(*code);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

struct Line {
  std::string_view number;  // major:minor
  std::string point;
  std::string device;
  Kind kind = Kind::risky;
  bool hidden = false;
};

// "36 35 98:0 /root /point options [tags...] - type device options"
std::optional<Line> parse_line(std::string_view text) {
  Line line;
  next_word(text);  // mount id
  next_word(text);  // parent
  line.number = next_word(text);
  next_word(text);  // the part of the file system that is mounted
  line.point = unescape(next_word(text));
  const size_t dash = text.find(" - ");
  if (line.point.empty() || dash == std::string_view::npos) return std::nullopt;
  text.remove_prefix(dash + 3);
  line.kind = kind_of(next_word(text));
  line.device = unescape(next_word(text));
  return line;
}

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path != "/";
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

std::vector<Line> visible_lines(std::string_view mountinfo) {
  constexpr size_t kMaxLines = 4096;
  std::vector<Line> lines;
  while (!mountinfo.empty() && lines.size() < kMaxLines) {
    auto line = parse_line(next_line(mountinfo));
    if (!line) continue;
    // What is mounted later at or above a place hides what was there.
    for (Line& earlier : lines) {
      if (earlier.point == line->point || is_below(earlier.point, line->point)) {
        earlier.hidden = true;
      }
    }
    lines.push_back(*std::move(line));
  }
  std::erase_if(lines, [](const Line& line) { return line.hidden; });
  return lines;
}

bool reachable(const Line& line, const std::vector<Line>& all) {
  return std::ranges::none_of(all, [&](const Line& other) {
    return other.kind == Kind::risky && is_below(line.point, other.point);
  });
}

}  // namespace

std::vector<Mount> measurable_mounts(std::string_view mountinfo) {
  const std::vector<Line> lines = visible_lines(mountinfo);
  std::vector<const Line*> chosen;
  for (const Line& line : lines) {
    if (line.kind != Kind::local || !reachable(line, lines)) continue;
    const auto same = std::ranges::find(chosen, line.number, &Line::number);
    if (same == chosen.end()) {
      if (chosen.size() < kMaxMounts) chosen.push_back(&line);
    } else if (line.point.size() < (*same)->point.size()) {
      *same = &line;
    }
  }
  std::vector<Mount> mounts;
  mounts.reserve(chosen.size());
  for (const Line* line : chosen) mounts.push_back({line->device, line->point});
  return mounts;
}

}  // namespace warpsight::host

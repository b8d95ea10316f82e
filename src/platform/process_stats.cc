#include "platform/process_stats.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <memory>

namespace warpsight {
namespace {

std::string proc_path(pid_t pid, std::string_view root, std::string_view leaf) {
  const std::string directory = pid == 0 ? "/proc/self" : fmt::format("/proc/{}", pid);
  return under_root(root, fmt::format("{}/{}", directory, leaf));
}

// The next number of a space-separated line, 0 where it is none (a state letter, a negative).
std::uint64_t next_number(std::string_view& rest) {
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  std::uint64_t value = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), value);
  rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  return value;
}

// Fields as proc_pid_stat(5) numbers them; the command's name may hold spaces and parentheses,
// so the count starts behind its last one.
Result<ProcessStats> parse_stat(std::string_view text, const std::string& path) {
  const auto end_of_name = text.rfind(')');
  if (end_of_name == std::string_view::npos) return fail("unexpected contents of " + path);
  std::string_view rest = text.substr(end_of_name + 1);
  ProcessStats stats;
  std::uint64_t ticks = 0;
  int field = 3;
  for (; field <= 24 && !rest.empty(); ++field) {
    const std::uint64_t value = next_number(rest);
    if (field == 14 || field == 15) ticks += value;
    if (field == 20) stats.threads = value;
    if (field == 24) stats.rss_bytes = value * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  }
  if (field <= 24) return fail("unexpected contents of " + path);
  stats.cpu_seconds = static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return stats;
}

}  // namespace

ProcessStatsReader::ProcessStatsReader(pid_t pid, std::string_view root)
    : stat_(proc_path(pid, root, "stat")), smaps_rollup_(proc_path(pid, root, "smaps_rollup")) {}

Result<ProcessStats> ProcessStatsReader::read() {
  auto text = stat_.read(buffer_);
  if (!text) return tl::unexpected(std::move(text.error()));
  return parse_stat(*text, stat_.path());
}

std::optional<std::uint64_t> ProcessStatsReader::read_pss() {
  // Opened anew each time: the descriptor would stay with the memory from before an exec.
  smaps_rollup_.close();
  const auto text = smaps_rollup_.read(buffer_);
  smaps_rollup_.close();
  if (!text) return std::nullopt;
  constexpr std::string_view kLabel = "\nPss:";
  const auto at = text->find(kLabel);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text->substr(at + kLabel.size());
  return next_number(rest) * 1024;
}

std::optional<std::size_t> count_open_fds(pid_t pid, std::string_view root) {
  struct Closer {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  const std::unique_ptr<DIR, Closer> directory(::opendir(proc_path(pid, root, "fd").c_str()));
  if (!directory) return std::nullopt;
  std::size_t count = 0;
  while (const dirent* entry = ::readdir(directory.get())) {  // NOLINT(concurrency-mt-unsafe)
    count += entry->d_name[0] == '.' ? 0U : 1U;
  }
  // The directory's own descriptor was among them when looking at ourselves.
  return pid == 0 ? count - 1 : count;
}

}  // namespace warpsight

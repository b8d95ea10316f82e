#include "sources/processes/proc_view.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <string_view>

#include "platform/file.h"
#include "sources/sysfs/directory.h"
#include "sources/sysfs/text.h"

namespace warpsight::processes {
namespace {

// The kernel gives the first PID namespace this number, always.
constexpr std::string_view kFirstNamespace = "pid:[4026531836]";
constexpr unsigned kCapSysPtrace = 19;

std::string link_target(const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  return size <= 0 ? std::string() : std::string(target.data(), static_cast<size_t>(size));
}

bool has_host_pids(const std::string& root) {
  const std::string own = link_target(under_root(root, "/proc/self/ns/pid"));
  if (own == kFirstNamespace) return true;
  // Kernel threads are in the first namespace alone.
  std::array<char, 64> buffer;
  const auto second = read_tiny_file(under_root(root, "/proc/2/comm").c_str(), buffer);
  return second == "kthreadd" && !own.empty() &&
         own == link_target(under_root(root, "/proc/1/ns/pid"));
}

// The value of `key` among "a,b=1,c"; empty when it is not there.
std::string_view mount_option(std::string_view options, std::string_view key) {
  while (!options.empty()) {
    const size_t comma = options.find(',');
    const std::string_view option = options.substr(0, comma);
    options.remove_prefix(comma == std::string_view::npos ? options.size() : comma + 1);
    if (option.size() > key.size() && option.starts_with(key) && option[key.size()] == '=') {
      return option.substr(key.size() + 1);
    }
  }
  return {};
}

// "36 35 0:31 / /proc rw,nosuid - proc proc rw,hidepid=invisible"; the last mount counts.
std::string read_hidepid(const std::string& root) {
  const auto mounts = read_file(under_root(root, "/proc/self/mountinfo"), size_t{8} << 20);
  if (!mounts) return {};
  const std::string place = under_root(root, "/proc");
  std::string hidepid;
  std::string_view text = *mounts;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    for (int word = 0; word < 4; ++word) next_word(line);
    const std::string_view point = next_word(line);
    if (point != "/proc" && point != place) continue;
    const std::string_view own = next_word(line);
    const size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    line.remove_prefix(dash + 3);
    if (next_word(line) != "proc") continue;
    next_word(line);
    const std::string_view value = mount_option(next_word(line), "hidepid");
    hidepid = value.empty() ? mount_option(own, "hidepid") : value;
  }
  return hidepid == "0" || hidepid == "off" ? std::string() : hidepid;
}

bool has_ptrace(const std::string& root) {
  const auto status = read_file(under_root(root, "/proc/self/status"));
  if (!status) return false;
  std::string_view text = *status;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (next_word(line) != "CapEff:") continue;
    const auto bits = to_number<uint64_t>(next_word(line), 16);
    return bits && ((*bits >> kCapSysPtrace) & 1U) != 0;
  }
  return false;
}

}  // namespace

ProcView look_at_proc(const std::string& root) {
  return {has_host_pids(root), read_hidepid(root), has_ptrace(root)};
}

}  // namespace warpsight::processes

#include "sources/engines/discovery/process_tree.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "platform/file.h"
#include "sources/sysfs/directory.h"
#include "sources/sysfs/text.h"

namespace warpsight::engines {
namespace {

constexpr int kGenerations = 8;

}  // namespace

int parent_process(const std::string& root, int pid) {
  std::array<char, 512> buffer;
  const std::string path = under_root(root, fmt::format("/proc/{}/stat", pid));
  std::string_view rest = read_tiny_file(path.c_str(), buffer).value_or("");
  // "12 (name, which may hold anything) S 1 ..."
  rest.remove_prefix(rest.rfind(')') + 1);
  next_word(rest);
  return to_number<int>(next_word(rest)).value_or(0);
}

bool descends_from(const std::string& root, int pid, int ancestor) {
  for (int generation = 0; generation <= kGenerations && pid > 1; ++generation) {
    if (pid == ancestor) return true;
    pid = parent_process(root, pid);
  }
  return false;
}

}  // namespace warpsight::engines

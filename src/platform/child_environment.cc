#include "platform/child_environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace warpsight {
namespace {

constexpr std::array<std::string_view, 7> kAgentOnly = {
    "NOTIFY_SOCKET", "WATCHDOG_USEC",  "WATCHDOG_PID", "LISTEN_FDS",
    "LISTEN_PID",    "LISTEN_FDNAMES", "FDSTORE",
};

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

}  // namespace

Result<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  // Read at start-up and by single-threaded callers; nothing in the agent sets variables.
  const char* variable = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  std::string_view path = variable != nullptr ? variable : "/usr/bin:/bin:/usr/sbin:/sbin";
  while (!path.empty()) {
    const auto colon = std::min(path.find(':'), path.size());
    std::string candidate = fmt::format("{}/{}", path.substr(0, colon), name);
    if (colon > 0 && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  return fail(fmt::format("{} is not installed", name), "install it or put it in PATH");
}

std::vector<std::string> child_environment(const std::vector<std::string>& extra, bool inherit) {
  std::vector<std::string> out;
  if (inherit) {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const std::string_view name = name_of(*entry);
      const bool overridden =
          std::ranges::any_of(extra, [&](const auto& e) { return name_of(e) == name; });
      if (!overridden && std::ranges::find(kAgentOnly, name) == kAgentOnly.end()) {
        out.emplace_back(*entry);
      }
    }
  }
  out.insert(out.end(), extra.begin(), extra.end());
  return out;
}

}  // namespace warpsight

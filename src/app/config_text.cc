#include "app/config_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "platform/fd.h"

namespace warpsight {
namespace {

constexpr std::size_t kMaxSecret = std::size_t{64} * 1024;
constexpr std::size_t kMaxExpanded = std::size_t{64} * 1024;

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || digit(c); });
}

// `reference` is what stands between the braces.
Result<std::string> variable_value(std::string_view reference, const ConfigInputs& inputs) {
  const auto separator = reference.find(":-");
  const std::string name(reference.substr(0, separator));
  if (!is_variable_name(name) || reference.find("${") != std::string_view::npos) {
    return fail("\"${\" is not followed by a variable's name and \"}\"",
                "write ${NAME} or ${NAME:-default}, or $${ for a literal ${");
  }
  const auto value = inputs.variable(name);
  if (value && (!value->empty() || separator == std::string_view::npos)) return *value;
  if (separator != std::string_view::npos) return std::string(reference.substr(separator + 2));
  return fail(fmt::format("the environment variable {} is not set", name),
              fmt::format("set it, or write ${{{}:-default}}", name));
}

Result<> check_secret_file(int fd, const std::string& path) {
  struct stat info{};
  if (::fstat(fd, &info) < 0) return fail_errno("cannot inspect " + path, errno);
  if (!S_ISREG(info.st_mode)) return fail(path + " is not a regular file");
  if ((info.st_mode & (S_IROTH | S_IWOTH)) != 0) {
    return fail(
        path + " holds a secret and is open to every user",
        fmt::format("run: chmod 600 {} (in Kubernetes: defaultMode: 0400 of the volume)", path));
  }
  return {};
}

}  // namespace

ConfigInputs ConfigInputs::system() {
  return {.variable = [](const std::string& name) -> std::optional<std::string> {
            // The config is loaded by one thread, and nothing in the agent sets variables.
            const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
            if (value == nullptr) return std::nullopt;
            return value;
          },
          .secret_file = read_secret_file};
}

Result<std::string> expand_variables(std::string_view text, const ConfigInputs& inputs) {
  std::string out;
  while (!text.empty()) {
    const auto dollar = std::min(text.find("${"), text.size());
    const bool escaped = dollar > 0 && dollar < text.size() && text[dollar - 1] == '$';
    out.append(text.substr(0, escaped ? dollar - 1 : dollar));
    text.remove_prefix(dollar);
    if (text.empty()) break;
    if (escaped) {
      out.append("${");
      text.remove_prefix(2);
      continue;
    }
    const auto end = text.find('}');
    auto value =
        variable_value(text.substr(2, end == std::string_view::npos ? 0 : end - 2), inputs);
    if (!value) return value;
    out += *value;
    text.remove_prefix(end + 1);
    if (out.size() > kMaxExpanded) {
      return fail(fmt::format("longer than {} bytes with its variables filled in", kMaxExpanded));
    }
  }
  return out;
}

Result<std::string> read_secret_file(const std::string& path) {
  if (!path.starts_with('/')) {
    return fail("a secret's file needs an absolute path", "write file:/path/to/secret");
  }
  // Non-blocking, so that a FIFO cannot hold the agent up before it is refused.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return fail_errno("cannot open " + path, errno);
  if (auto checked = check_secret_file(fd.get(), path); !checked) {
    return tl::unexpected(std::move(checked.error()));
  }
  auto secret = read_all(fd.get(), kMaxSecret);
  if (!secret) return fail(fmt::format("{}: {}", path, secret.error().message));
  if (secret->ends_with('\n')) secret->pop_back();
  if (secret->ends_with('\r')) secret->pop_back();
  if (secret->empty()) return fail(path + " is empty", "write the secret into it");
  return secret;
}

}  // namespace warpsight

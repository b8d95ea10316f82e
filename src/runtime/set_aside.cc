#include "runtime/set_aside.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "platform/file.h"

namespace warpsight {
namespace {

constexpr std::string_view kBytes = ".bin";
constexpr std::string_view kWords = ".txt";
constexpr mode_t kMode = 0600;

struct Kept {
  std::filesystem::path path;
  uint64_t size = 0;
};

// Oldest first: names begin with the time.
std::vector<Kept> kept_in(const std::string& directory) {
  std::vector<Kept> kept;
  std::error_code error;
  std::filesystem::directory_iterator it(directory, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    if (it->path().extension() != kBytes) continue;
    std::error_code ignored;
    const uint64_t size = it->file_size(ignored);
    kept.push_back({it->path(), ignored ? 0 : size});
  }
  std::ranges::sort(kept, {}, &Kept::path);
  return kept;
}

void remove_oldest(const std::string& directory, uint64_t incoming) {
  const std::vector<Kept> kept = kept_in(directory);
  uint64_t bytes = incoming;
  for (const Kept& file : kept) bytes += file.size;
  size_t messages = kept.size() + 1;
  for (const Kept& file : kept) {
    if (messages <= kSetAsideMessages && bytes <= kSetAsideBytes) return;
    std::error_code ignored;
    std::filesystem::remove(file.path, ignored);
    std::filesystem::remove(std::filesystem::path(file.path).replace_extension(kWords), ignored);
    bytes -= file.size;
    --messages;
  }
}

}  // namespace

Result<std::string> set_aside(const std::string& directory, const SpoolEntry& entry,
                              std::string_view words, Time now) {
  const Message& message = entry.message;
  if (message.bytes.size() > kSetAsideBytes) return fail("too large to be set aside");
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return fail_errno("cannot make the directory " + directory, error.value());
  remove_oldest(directory, message.bytes.size());

  const auto ms = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const std::string base = fmt::format("{}/{:016}-{:020}", directory, ms, entry.sequence);
  const std::string text = fmt::format("kind {}, {} points, {} bytes\n{}\n", message.kind,
                                       message.points, message.bytes.size(), words);
  std::string path = base + std::string(kBytes);
  if (auto written = write_file_atomically(base + std::string(kWords), text, kMode); !written) {
    return tl::unexpected(written.error());
  }
  if (auto written = write_file_atomically(path, message.bytes, kMode); !written) {
    return tl::unexpected(written.error());
  }
  return path;
}

}  // namespace warpsight

#include "sources/processes/user_names.h"

#include <sys/stat.h>

#include <algorithm>

#include "platform/file.h"
#include "sources/sysfs/text.h"

namespace warpsight::processes {
namespace {

constexpr size_t kMaxNameSize = 256;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameSize &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

std::string_view next_field(std::string_view& line) {
  const size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  line.remove_prefix(colon == std::string_view::npos ? line.size() : colon + 1);
  return field;
}

}  // namespace

UserNames::UserNames(std::string_view root) : path_(under_root(root, "/etc/passwd")) {}

std::optional<UserNames::Mark> UserNames::mark() const {
  struct stat file{};
  // Whatever else may stand there is not opened.
  if (::stat(path_.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return std::nullopt;
  return Mark{file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
}

void UserNames::refresh() {
  const auto now = mark();
  if (now == seen_) return;
  seen_ = now;
  names_.clear();
  if (!now) return;
  ++files_read_;
  const auto text = read_file(path_, kMaxFile);
  if (!text) return;
  std::string_view rest = *text;
  while (!rest.empty() && names_.size() < kMaxUsers) take(next_line(rest));
}

// "name:x:1000:1000:...". Of several with one number the first counts, as everywhere.
void UserNames::take(std::string_view line) {
  const std::string_view name = next_field(line);
  next_field(line);
  const auto uid = to_number<uint32_t>(next_field(line));
  if (uid && is_name(name)) names_.emplace(*uid, name);
}

std::string UserNames::name(uint32_t uid) const {
  const auto found = names_.find(uid);
  return found == names_.end() ? std::to_string(uid) : found->second;
}

}  // namespace warpsight::processes

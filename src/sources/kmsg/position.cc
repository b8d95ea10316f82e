#include "sources/kmsg/position.h"

#include <utility>

#include "platform/file.h"
#include "sources/sysfs/text.h"

namespace warpsight::kmsg {
namespace {

constexpr Duration kBetweenSaves = std::chrono::seconds{5};

}  // namespace

Position::Position(const std::string& state_dir, std::string boot_id)
    : path_(state_dir.empty() ? std::string() : state_dir + "/kmsg.state"),
      boot_id_(std::move(boot_id)) {
  if (path_.empty() || boot_id_.empty()) return;
  const auto saved = read_file(path_, 256);
  if (!saved) return;
  std::string_view rest = *saved;
  if (next_word(rest) != boot_id_) return;
  resumed_ = next_number(rest);
  sequence_ = resumed_;
}

void Position::advance(uint64_t sequence) {
  if (sequence_ == sequence) return;
  sequence_ = sequence;
  dirty_ = true;
}

Result<> Position::save(std::optional<SteadyTime> now) {
  if (!dirty_ || !sequence_ || path_.empty() || boot_id_.empty()) return {};
  if (now && saved_at_ && *now - *saved_at_ < kBetweenSaves) return {};
  saved_at_ = now;
  auto written = write_file_atomically(path_, boot_id_ + ' ' + std::to_string(*sequence_) + '\n');
  if (written) dirty_ = false;
  return written;
}

}  // namespace warpsight::kmsg

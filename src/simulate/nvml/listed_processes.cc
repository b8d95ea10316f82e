#include "simulate/nvml/listed_processes.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "platform/file.h"

namespace warpsight::simulate {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

template <typename T>
bool take_number(std::string_view& line, T& out) {
  const std::string_view word = next_word(line);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc{} && end == word.data() + word.size() && !word.empty();
}

}  // namespace

ProcessLists::ProcessLists(std::string_view text, const std::vector<Gpu>& gpus)
    : lists_(gpus.size()) {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    take(text.substr(0, end), gpus);
    text.remove_prefix(end + 1);
  }
}

// "GPU PID MEMORY_MIB SM_PERCENT [MIG]"
void ProcessLists::take(std::string_view line, const std::vector<Gpu>& gpus) {
  std::size_t gpu = 0;
  std::uint32_t mebibytes = 0;
  double percent = 0;
  Process process;
  process.real = true;
  if (!take_number(line, gpu) || !take_number(line, process.pid) || !take_number(line, mebibytes) ||
      !take_number(line, percent)) {
    return;
  }
  const bool has_mig = line.find_first_not_of(kBlanks) != std::string_view::npos;
  std::uint32_t mig = 0;
  if (has_mig && !take_number(line, mig)) return;
  const bool is_percentage = percent >= 0 && percent <= 100;
  if (gpu >= gpus.size() || process.pid == kOwnPid || !is_percentage ||
      (has_mig && mig >= gpus[gpu].mig.size()) || count_ >= kMaxProcesses) {
    return;
  }
  process.memory = std::uint64_t{mebibytes} << 20U;
  process.sm = percent / 100;
  if (has_mig) process.mig = static_cast<int>(mig);
  lists_[gpu].push_back(std::move(process));
  ++count_;
}

const std::vector<Process>& ProcessLists::of(std::size_t gpu) const {
  static const std::vector<Process> kNone;
  return gpu < lists_.size() ? lists_[gpu] : kNone;
}

std::optional<ListedProcesses::Mark> ListedProcesses::mark() const {
  struct stat file{};
  if (::stat(scenario_.processes_from.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) {
    return std::nullopt;
  }
  return Mark{file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
}

std::shared_ptr<const ProcessLists> ListedProcesses::now() const {
  const std::scoped_lock lock(mutex_);
  const auto found = mark();
  if (found == seen_) return lists_;
  seen_ = found;
  const auto text = found ? read_file(scenario_.processes_from, kMaxFile) : std::string();
  lists_ =
      std::make_shared<const ProcessLists>(text ? std::string_view(*text) : "", scenario_.gpus);
  return lists_;
}

std::string real_process_name(std::uint32_t pid) {
  auto name = read_file("/proc/" + std::to_string(pid) + "/comm", 256);
  if (!name) return {};
  while (name->ends_with('\n')) name->pop_back();
  return std::move(*name);
}

}  // namespace warpsight::simulate

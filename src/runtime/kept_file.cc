#include "runtime/kept_file.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "platform/file.h"
#include "runtime/log.h"

namespace warpsight {
namespace {

constexpr mode_t kMode = 0600;
constexpr Duration kTryAgain = std::chrono::seconds{10};

}  // namespace

KeptFile::KeptFile(std::string path, std::string purpose)
    : path_(std::move(path)), purpose_(std::move(purpose)) {}

KeptFile::~KeptFile() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void KeptFile::put(std::string text) {
  const std::lock_guard lock(mutex_);
  next_ = std::move(text);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
}

bool KeptFile::written_within(Duration timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [this] { return !next_ && !writing_; });
}

void KeptFile::run() {
  std::string text;
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto called = [this] { return stop_ || next_; };
    if (failing_) {
      changed_.wait_for(lock, kTryAgain, called);
    } else {
      changed_.wait(lock, called);
    }
    if (!next_ && stop_) return;
    if (next_) {
      text = std::move(*next_);
      next_.reset();
    }
    writing_ = true;
    lock.unlock();
    write(text);
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

void KeptFile::write(const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  const auto written = write_file_atomically(path_, text, kMode);
  if (!written && !failing_) {
    log_warn(purpose_, {{"error", describe(written.error())},
                        {"hint", "make the state directory writable, or make room"}});
  }
  failing_ = !written;
}

}  // namespace warpsight

#include "top/feed.h"

#include <exception>
#include <utility>

namespace warpsight::top {
namespace {

Result<Node> read(NodeSource& source) {
  return source.now().and_then([](const std::string& text) { return parse_node(text); });
}

}  // namespace

Result<std::string> NodeSource::past(const Node& /*node*/) { return fail("there is no history"); }

Feed::Feed(std::string name, std::unique_ptr<NodeSource> source, Duration interval)
    : name_(std::move(name)), source_(std::move(source)), interval_(interval) {}

Feed::~Feed() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  source_->interrupt();
  if (thread_.joinable()) thread_.join();
}

void Feed::start(std::function<void()> wake) {
  wake_ = std::move(wake);
  thread_ = std::thread([this] { run(); });
}

std::optional<Update> Feed::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(newest_, std::nullopt);
}

void Feed::run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    lock.unlock();
    try {
      ask();
    } catch (const std::exception& error) {
      const std::lock_guard told(mutex_);
      newest_ = Update{.node = fail(error.what())};
    }
    wake_();
    lock.lock();
    ended_.wait_for(lock, interval_, [this] { return ending_; });
  }
}

void Feed::ask() {
  Update update{.node = read(*source_)};
  if (update.node && update.node->time && past_questions_left_ > 0) {
    --past_questions_left_;
    if (const auto text = source_->past(*update.node)) {
      past_questions_left_ = 0;
      update.past = parse_past(*text, *update.node);
    }
  }
  const std::lock_guard lock(mutex_);
  if (newest_ && update.past.empty()) update.past = std::move(newest_->past);
  newest_ = std::move(update);
}

}  // namespace warpsight::top

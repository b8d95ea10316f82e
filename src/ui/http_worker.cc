#include "ui/http_worker.h"

#include <event2/event.h>
#include <sys/eventfd.h>

#include <system_error>

namespace warpsight {

void HttpWorker::EventFree::operator()(event* wake) const { event_free(wake); }

std::unique_ptr<HttpWorker> HttpWorker::start(event_base* base, Limits limits, Deliver deliver) {
  std::unique_ptr<HttpWorker> worker(new HttpWorker(limits, std::move(deliver)));
  worker->wake_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!worker->wake_) return nullptr;
  worker->woken_.reset(event_new(
      base, worker->wake_.get(), EV_READ | EV_PERSIST,
      [](evutil_socket_t, short, void* self) { static_cast<HttpWorker*>(self)->deliver(); },
      worker.get()));
  if (!worker->woken_ || event_add(worker->woken_.get(), nullptr) != 0) return nullptr;
  try {
    worker->thread_ = std::thread([self = worker.get()] { self->run(); });
  } catch (const std::system_error&) {
    return nullptr;
  }
  return worker;
}

HttpWorker::~HttpWorker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    waiting_.clear();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool HttpWorker::submit(Task task) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= limits_.waiting) return false;
  waiting_.push_back(std::move(task));
  changed_.notify_all();
  return true;
}

bool HttpWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || !waiting_.empty();
}

HttpWorker::Filled HttpWorker::fill(const Task& task) {
  Filled filled{.ticket = task.ticket};
  HttpResponse response{.body = filled.body};
  task.job(response);
  if (task.may_pack) packer_.pack(response);
  filled.status = response.status;
  filled.content_type = response.content_type;
  filled.headers = std::move(response.headers);
  filled.packed = response.packed;
  return filled;
}

void HttpWorker::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = true;
    lock.unlock();
    Filled filled = fill(task);
    task = {};  // with all that the job holds
    lock.lock();
    running_ = false;
    filled_.push_back(std::move(filled));
    ::eventfd_write(wake_.get(), 1);
  }
}

void HttpWorker::deliver() {
  eventfd_t count = 0;
  ::eventfd_read(wake_.get(), &count);
  std::vector<Filled> filled;
  {
    const std::lock_guard lock(mutex_);
    filled.swap(filled_);
  }
  for (Filled& one : filled) deliver_(one);
}

}  // namespace warpsight

// One thread that fills responses, so that the loop need not wait for a disk.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "platform/fd.h"
#include "ui/http_message.h"
#include "ui/http_reply.h"

struct event;
struct event_base;

namespace warpsight {

// Belongs to the loop's thread.
class HttpWorker {
 public:
  struct Task {
    uint64_t ticket = 0;
    HttpJob job;
    bool may_pack = false;
  };
  struct Filled {
    uint64_t ticket = 0;
    int status = 200;
    std::string content_type = {};
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    bool packed = false;
  };
  struct Limits {
    size_t waiting;
    size_t gzip_above;
  };
  // On the loop's thread.
  using Deliver = std::function<void(Filled&)>;

  // nullptr: the system gives no descriptor or no thread.
  static std::unique_ptr<HttpWorker> start(event_base* base, Limits limits, Deliver deliver);
  // Drops what waits; waits for the job that runs.
  ~HttpWorker();
  HttpWorker(const HttpWorker&) = delete;
  HttpWorker& operator=(const HttpWorker&) = delete;

  // False: too many wait.
  bool submit(Task task);
  // Whether a job runs or waits.
  bool busy() const;

 private:
  struct EventFree {
    void operator()(event* wake) const;
  };

  HttpWorker(Limits limits, Deliver deliver)
      : limits_(limits), deliver_(std::move(deliver)), packer_(limits.gzip_above) {}
  void run();
  Filled fill(const Task& task);
  void deliver();

  const Limits limits_;
  const Deliver deliver_;
  Fd wake_;
  std::unique_ptr<event, EventFree> woken_;
  BodyPacker packer_;  // the worker's

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  std::vector<Filled> filled_;
  bool running_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace warpsight

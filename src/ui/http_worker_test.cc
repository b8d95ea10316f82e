#include "ui/http_worker.h"

#include <event2/event.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <semaphore>

namespace warpsight {
namespace {

class HttpWorkerTest : public ::testing::Test {
 protected:
  ~HttpWorkerTest() override { event_base_free(base_); }

  std::unique_ptr<HttpWorker> start(size_t waiting) {
    return HttpWorker::start(base_, {waiting, 1024}, [this](HttpWorker::Filled& filled) {
      delivered_.push_back(filled.ticket);
    });
  }

  event_base* base_ = event_base_new();
  std::vector<uint64_t> delivered_;
};

TEST_F(HttpWorkerTest, DeliversInOrderOnTheLoop) {
  const auto worker = start(100);
  ASSERT_NE(worker, nullptr);
  for (uint64_t i = 1; i <= 100; ++i) {
    ASSERT_TRUE(worker->submit({i, [](HttpResponse& response) { response.body = "x"; }, false}));
    if (i % 10 == 0) event_base_loop(base_, EVLOOP_NONBLOCK);
  }
  while (delivered_.size() < 100) event_base_loop(base_, EVLOOP_ONCE);
  EXPECT_TRUE(std::ranges::is_sorted(delivered_));
  EXPECT_FALSE(worker->busy());
}

TEST_F(HttpWorkerTest, GoingItDropsWhatWaitsAndFinishesWhatRuns) {
  auto worker = start(2);
  ASSERT_NE(worker, nullptr);
  std::binary_semaphore started{0};
  std::binary_semaphore dropped{0};
  std::atomic<bool> finished = false;
  std::atomic<bool> ran = false;
  ASSERT_TRUE(worker->submit({1,
                              [&](HttpResponse&) {
                                started.release();
                                dropped.acquire();
                                finished = true;
                              },
                              false}));
  started.acquire();
  const auto tell = [&](int* kept) {
    delete kept;
    dropped.release();
  };
  ASSERT_TRUE(worker->submit(
      {2, [&, kept = std::shared_ptr<int>(new int, tell)](HttpResponse&) { ran = true; }, false}));
  EXPECT_TRUE(worker->busy());
  worker.reset();
  EXPECT_TRUE(finished);
  EXPECT_FALSE(ran);
  EXPECT_THAT(delivered_, ::testing::IsEmpty());
}

TEST_F(HttpWorkerTest, TakesNoMoreThanMayWait) {
  const auto worker = start(2);
  ASSERT_NE(worker, nullptr);
  std::binary_semaphore started{0};
  std::binary_semaphore go_on{0};
  const HttpJob slow = [&](HttpResponse&) {
    started.release();
    go_on.acquire();
  };
  ASSERT_TRUE(worker->submit({1, slow, false}));
  started.acquire();
  EXPECT_TRUE(worker->submit({2, [](HttpResponse&) {}, false}));
  EXPECT_TRUE(worker->submit({3, [](HttpResponse&) {}, false}));
  EXPECT_FALSE(worker->submit({4, [](HttpResponse&) {}, false}));
  go_on.release();
  while (delivered_.size() < 3) event_base_loop(base_, EVLOOP_ONCE);
  EXPECT_THAT(delivered_, ::testing::ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace warpsight

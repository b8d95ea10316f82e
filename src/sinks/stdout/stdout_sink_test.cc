#include "sinks/stdout/stdout_sink.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "platform/fd.h"

namespace warpsight {
namespace {

using ::testing::HasSubstr;

class StdoutSinkTest : public ::testing::Test {
 protected:
  StdoutSinkTest() : pipe_(make_pipe().value()) { ::signal(SIGPIPE, SIG_IGN); }

  std::string drain() {
    std::string text(size_t{1} << 20, '\0');
    const ssize_t n = ::read(pipe_.first.get(), text.data(), text.size());
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return text;
  }

  ManualClock clock_;
  EntityTable entities_;
  Options options_ = Options::defaults(stdout_sink_options());
  SinkContext context_{clock_, entities_, options_, {}};
  FdPair pipe_;
  std::unique_ptr<Sink> sink_ = make_line_sink(context_, pipe_.second.get());
};

TEST_F(StdoutSinkTest, EncodesAndDeliversLines) {
  Registry registry(entities_);
  Batch batch;
  batch.begin(clock_.now(), std::chrono::seconds{1});
  batch.add(Metric::system_uptime, entities_.intern(EntityKind::host, kNoEntity, {}), 5);
  registry.apply(registry.add_source("host"), batch, clock_.now());
  registry.publish(clock_.now(), {});
  Outbox out;
  registry.read([&](const Snapshot& snapshot) { sink_->encode(snapshot, out); });
  const Message& message = out.messages()[0];
  EXPECT_EQ(message.points, 1U);
  ASSERT_EQ(sink_->deliver(message).outcome, Delivery::Outcome::accepted);
  EXPECT_EQ(drain(), message.bytes);
  EXPECT_THAT(message.bytes, HasSubstr("\"metric\":\"system.uptime\",\"value\":5"));
}

TEST_F(StdoutSinkTest, AReaderThatWentAwayIsAnError) {
  pipe_.first.reset();
  EXPECT_EQ(sink_->deliver({.bytes = "{}\n"}).outcome, Delivery::Outcome::retry);
}

TEST_F(StdoutSinkTest, AfterABatchThatStoppedInMidLineTheNextBeginsOnItsOwn) {
  ASSERT_TRUE(set_nonblocking(pipe_.second.get(), true));
  const int room = ::fcntl(pipe_.second.get(), F_SETPIPE_SZ, 4096);
  const std::string much = std::string(static_cast<size_t>(room) * 2, 'x') + "\n";
  const Delivery result = sink_->deliver({.bytes = much});
  ASSERT_EQ(result.outcome, Delivery::Outcome::retry);
  EXPECT_THAT(result.words, HasSubstr("does not read"));
  drain();
  ASSERT_EQ(sink_->deliver({.bytes = "{}\n"}).outcome, Delivery::Outcome::accepted);
  EXPECT_EQ(drain(), "\n{}\n");
}

}  // namespace
}  // namespace warpsight

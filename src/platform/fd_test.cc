#include "platform/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace warpsight {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(Fd, ClosesWhatItOwnsAndNothingElse) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const int raw = pipe->first.get();
  {
    const Fd taken = std::move(pipe->first);
    EXPECT_FALSE(pipe->first);  // NOLINT(bugprone-use-after-move): emptied by contract
    EXPECT_TRUE(is_open(raw));
  }
  EXPECT_FALSE(is_open(raw));
  const int released = pipe->second.release();
  EXPECT_TRUE(is_open(released));
  ::close(released);
}

TEST(Fd, EverythingMadeIsCloseOnExec) {
  auto pipe = make_pipe();
  auto sockets = make_socket_pair(SOCK_SEQPACKET);
  ASSERT_TRUE(pipe && sockets);
  for (const Fd* fd : {&pipe->first, &pipe->second, &sockets->first, &sockets->second}) {
    EXPECT_EQ(::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  }
}

TEST(ReadAll, ReadsToTheEnd) {
  auto pipe = make_pipe();
  ASSERT_TRUE(write_all(pipe->second.get(), "hello", seconds{1}));
  pipe->second.reset();
  EXPECT_EQ(read_all(pipe->first.get(), 5), "hello");
}

TEST(ReadAll, RefusesMoreThanTheLimit) {
  auto pipe = make_pipe();
  ASSERT_TRUE(write_all(pipe->second.get(), "hello", seconds{1}));
  pipe->second.reset();
  const auto read = read_all(pipe->first.get(), 4);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("limit of 4 bytes"), std::string::npos);
}

TEST(ReadAll, GivesUpOnAPeerThatStaysSilent) {
  auto pipe = make_pipe();
  EXPECT_FALSE(read_all(pipe->first.get(), 10, milliseconds{1}));
}

TEST(WriteAll, GivesUpOnAPeerThatDoesNotRead) {
  const std::string much(std::size_t{8} << 20, 'x');
  auto pipe = make_pipe();
  EXPECT_FALSE(write_all(pipe->second.get(), much, milliseconds{1}));
  auto sockets = make_socket_pair(SOCK_STREAM);
  EXPECT_FALSE(write_all(sockets->second.get(), much, milliseconds{1}));
}

TEST(WriteAll, DeliversWhatAPipeCannotHoldAtOnce) {
  const std::string much(std::size_t{1} << 20, 'x');
  auto pipe = make_pipe();
  Result<std::string> read;
  std::thread reader([&] { read = read_all(pipe->first.get(), much.size()); });
  EXPECT_TRUE(write_all(pipe->second.get(), much, seconds{30}));
  pipe->second.reset();
  reader.join();
  EXPECT_EQ(read, much);
}

TEST(WriteAll, AClosedSocketIsAnErrorAndNotASignal) {
  auto sockets = make_socket_pair(SOCK_STREAM);
  sockets->first.reset();
  EXPECT_FALSE(write_all(sockets->second.get(), "x", seconds{1}));
}

TEST(WaitReadable, SeesBytesAndEnds) {
  auto pipe = make_pipe();
  EXPECT_FALSE(wait_readable(pipe->first.get(), milliseconds{0}));
  ASSERT_TRUE(write_all(pipe->second.get(), "x", seconds{1}));
  EXPECT_TRUE(wait_readable(pipe->first.get(), seconds{5}));
}

TEST(FailErrno, SaysWhatToDoAboutPermissions) {
  const Error error = fail_errno("cannot open /x", EACCES).value();
  EXPECT_EQ(error.message, "cannot open /x: Permission denied");
  EXPECT_FALSE(error.hint.empty());
}

}  // namespace
}  // namespace warpsight

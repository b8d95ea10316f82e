#include "platform/notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "platform/test_dir.h"

namespace warpsight {
namespace {

// The manager's end; `name` as in NOTIFY_SOCKET.
class Manager {
 public:
  explicit Manager(const std::string& name)
      : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    EXPECT_TRUE(socket_);
    if (!socket_) return;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
  }

  std::string receive() const {
    std::array<char, 1024> buffer{};
    const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return n > 0 ? std::string(buffer.data(), static_cast<std::size_t>(n)) : "";
  }

 private:
  Fd socket_;
};

TEST(Notifier, TellsTheManagerOverAPath) {
  const TestDir dir;
  const Manager manager(dir.path() + "/notify");
  const Notifier notifier(dir.path() + "/notify");
  EXPECT_TRUE(notifier.ready("watching 8 GPUs\nREADY=0"));
  EXPECT_EQ(manager.receive(), "READY=1\nSTATUS=watching 8 GPUs READY=0");
  EXPECT_TRUE(notifier.watchdog());
  EXPECT_EQ(manager.receive(), "WATCHDOG=1");
  EXPECT_TRUE(notifier.stopping());
  EXPECT_EQ(manager.receive(), "STOPPING=1");
}

TEST(Notifier, TellsTheManagerOverAnAbstractSocket) {
  const std::string name = "@warpsight-test-" + std::to_string(::getpid());
  const Manager manager(name);
  EXPECT_TRUE(Notifier(name).status("idle"));
  EXPECT_EQ(manager.receive(), "STATUS=idle");
}

TEST(Notifier, ReloadingCarriesTheMonotonicTime) {
  const TestDir dir;
  const Manager manager(dir.path() + "/notify");
  EXPECT_TRUE(Notifier(dir.path() + "/notify").reloading());
  EXPECT_EQ(manager.receive().find("RELOADING=1\nMONOTONIC_USEC="), 0U);
}

TEST(Notifier, IsSilentWithoutAManager) {
  EXPECT_FALSE(Notifier().enabled());
  EXPECT_FALSE(Notifier("").ready());
  EXPECT_FALSE(Notifier("relative/path").enabled());
  EXPECT_FALSE(Notifier(std::string(200, '/')).enabled());
  const TestDir dir;
  EXPECT_FALSE(Notifier(dir.path() + "/nobody").ready());
}

TEST(WatchdogInterval, HoldsForTheNamedProcessOnly) {
  EXPECT_EQ(watchdog_interval("30000000", "42", 42), Duration{std::chrono::seconds{30}});
  EXPECT_EQ(watchdog_interval("30000000", "", 42), Duration{std::chrono::seconds{30}});
  EXPECT_FALSE(watchdog_interval("30000000", "43", 42));
  for (const char* bad : {"", "0", "-1", "x", "99999999999999999999"}) {
    EXPECT_FALSE(watchdog_interval(bad, "", 42)) << bad;
  }
}

}  // namespace
}  // namespace warpsight

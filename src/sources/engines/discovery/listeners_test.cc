#include "sources/engines/discovery/listeners.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "platform/fd.h"
#include "sources/engines/discovery/known_engines_for_test.h"
#include "sources/engines/discovery/node_for_test.h"

namespace warpsight::engines {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string line(std::string_view local, std::string_view state, uint64_t inode) {
  return fmt::format(
      "   0: {} 00000000:0000 {} 00000000:00000000 00:00000000 00000000  1000  0 {} 1 0", local,
      state, inode);
}

TEST(ListeningLine, TellsAddressPortAndInode) {
  const auto socket = parse_listening(line("0101A8C0:1F40", "0A", 77));
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->address, "192.168.1.1");
  EXPECT_EQ(socket->port, 8000);
  EXPECT_EQ(socket->inode, 77u);
}

TEST(ListeningLine, AllInterfacesAreReachedByLoopback) {
  EXPECT_EQ(parse_listening(line("00000000:1F40", "0A", 1))->address, "127.0.0.1");
  EXPECT_EQ(parse_listening(line("00000000000000000000000000000000:1F40", "0A", 1))->address,
            "::1");
}

TEST(ListeningLine, AnIPv4AddressInIPv6IsAnIPv4Address) {
  EXPECT_EQ(parse_listening(line("0000000000000000FFFF00000100007F:1F40", "0A", 1))->address,
            "127.0.0.1");
  EXPECT_EQ(parse_listening(line("B80D0120000000000000000001000000:1F40", "0A", 1))->address,
            "2001:db8::1");
}

TEST(ListeningLine, ConnectionsAndRubbishAreNone) {
  EXPECT_FALSE(parse_listening(line("0100007F:1F40", "01", 5)));
  EXPECT_FALSE(parse_listening(line("0100007F", "0A", 5)));
  EXPECT_FALSE(parse_listening(line("0100007:1F40", "0A", 5)));
  EXPECT_FALSE(parse_listening(line("0100007F:1F40", "0A", 0)));
  EXPECT_FALSE(parse_listening("  sl  local_address rem_address   st tx_queue rx_queue"));
  EXPECT_FALSE(parse_listening(""));
}

class Listeners : public ::testing::Test {
 protected:
  std::vector<std::string> seen(std::span<const int> gpu_pids = {}) {
    std::vector<std::string> texts;
    for (const Listener& one : scan_.scan(gpu_pids)) {
      texts.push_back(fmt::format("{}:{} pid {}{}", one.socket.address, one.socket.port,
                                  one.owner.pid, one.other_namespace ? " elsewhere" : ""));
    }
    return texts;
  }

  testing::FakeNode node_;
  std::vector<EngineTable> tables_ = testing::known_engines();
  ListenerScan scan_{tables_, {.root = node_.path(), .own_pid = 999}};
};

TEST_F(Listeners, AUsualPortIsEnough) {
  node_.listen(8000, 11);
  node_.listen(9100, 12);
  EXPECT_THAT(seen(), ElementsAre("127.0.0.1:8000 pid 0"));
}

TEST_F(Listeners, ACommandLineIsEnough) {
  node_.process(42, 1, "python3 -m sglang.launch_server --model x --port 9001");
  node_.listen(9001, 11, 42);
  node_.process(43, 1, "node_exporter");
  node_.listen(9100, 12, 43);
  EXPECT_THAT(seen(), ElementsAre("127.0.0.1:9001 pid 42"));
}

TEST_F(Listeners, AProcessOnAGpuAndItsGrandchildrenAreCandidates) {
  node_.process(50, 1, "python server.py");
  node_.process(51, 50, "child");
  node_.process(52, 51, "grandchild");
  node_.process(53, 52, "too far");
  for (const int pid : {50, 51, 52, 53}) {
    node_.listen(static_cast<uint16_t>(5000 + pid), static_cast<uint64_t>(pid), pid);
  }
  EXPECT_THAT(seen(), IsEmpty());
  const std::vector<int> gpu = {50};
  EXPECT_THAT(seen(gpu), ElementsAre("127.0.0.1:5050 pid 50", "127.0.0.1:5051 pid 51",
                                     "127.0.0.1:5052 pid 52"));
}

TEST_F(Listeners, PortsByWhichRanksFindEachOtherAreLeftAlone) {
  node_.process(50, 1, "python train.py --port 41000");
  node_.listen(40000, 1, 50);
  node_.listen(29500, 2, 50);
  node_.listen(41000, 3, 50);
  const std::vector<int> gpu = {50};
  EXPECT_THAT(seen(gpu), ElementsAre("127.0.0.1:41000 pid 50"));
  node_.write("/proc/sys/net/ipv4/ip_local_port_range", "50000\t60000\n");
  EXPECT_THAT(seen(gpu), ElementsAre("127.0.0.1:40000 pid 50", "127.0.0.1:41000 pid 50"));
}

TEST_F(Listeners, TheParentsCommandLinesAreTold) {
  node_.process(40, 1, "vllm serve m --port 8000");
  node_.process(41, 40, "VLLM::ApiServer_0");
  node_.listen(8000, 11, 41);
  const auto found = scan_.scan({});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].owner.command_line, "VLLM::ApiServer_0");
  ASSERT_EQ(found[0].ancestors.size(), 1u);
  EXPECT_EQ(found[0].ancestors[0].command_line, "vllm serve m --port 8000");
}

TEST_F(Listeners, ALongCommandLineIsCut) {
  node_.process(40, 1, "vllm serve " + std::string(10'000, 'x'));
  node_.listen(8000, 11, 40);
  EXPECT_EQ(scan_.scan({}).at(0).owner.command_line.size(), 4096u);
}

TEST_F(Listeners, OurselvesAreNever) {
  node_.process(999, 1, "vllm serve");
  node_.listen(8000, 11, 999);
  EXPECT_THAT(seen(), IsEmpty());
}

TEST_F(Listeners, ASocketOfServerAndWorkersIsTheServers) {
  node_.process(41, 1, "vllm serve m");
  node_.process(42, 41, "VLLM::ApiServer_0");
  node_.listen(8000, 11, 42);
  node_.hold(41, 11);
  EXPECT_THAT(seen(), ElementsAre("127.0.0.1:8000 pid 41"));
}

TEST_F(Listeners, WhatAProcessLeftBehindIsItsHeirs) {
  node_.process(41, 1, "vllm serve m");
  node_.process(42, 41, "VLLM::ApiServer_0");
  node_.listen(8000, 11, 42);
  node_.hold(41, 11);
  seen();
  node_.end(41);
  EXPECT_THAT(seen(), ElementsAre("127.0.0.1:8000 pid 42"));
}

TEST_F(Listeners, AnEndedSocketIsGone) {
  node_.listen(8000, 11);
  EXPECT_EQ(seen().size(), 1u);
  node_.close(11);
  EXPECT_THAT(seen(), IsEmpty());
}

TEST_F(Listeners, DescriptorsAreLookedThroughOnlyForNewSockets) {
  for (int pid = 100; pid < 150; ++pid) {
    node_.process(pid, 1, "idle");
    node_.hold(pid, static_cast<uint64_t>(pid) + 1000);
  }
  node_.listen(8000, 7);  // of nobody we may see
  seen();
  EXPECT_EQ(scan_.descriptors_read(), 50u);
  seen();
  EXPECT_EQ(scan_.descriptors_read(), 0u);
  node_.listen(30000, 1001 + 100, 0);
  seen();
  EXPECT_GT(scan_.descriptors_read(), 0u);
}

TEST_F(Listeners, AnOwnerYoungerThanTheListOfProcessesIsFoundByTheNextScan) {
  node_.listen(8000, 7);
  EXPECT_THAT(seen(), ElementsAre("127.0.0.1:8000 pid 0"));
  node_.process(60, 1, "vllm serve m");
  node_.hold(60, 7);
  EXPECT_THAT(seen(), ElementsAre("127.0.0.1:8000 pid 60"));
}

TEST_F(Listeners, AContainersSocketsAreToldButElsewhere) {
  node_.process(70, 1, "vllm serve m");
  node_.enter_namespace(70, "net:[4026533000]");
  node_.listen_inside(70, 8000, 21);
  node_.hold(70, 21);
  node_.listen_inside(70, 9999, 22);  // of nobody we know
  node_.process(80, 1, "postgres");
  node_.enter_namespace(80, "net:[4026534000]");
  node_.listen_inside(80, 8000, 31);
  EXPECT_THAT(seen(), ElementsAre("127.0.0.1:8000 pid 70 elsewhere"));
}

TEST_F(Listeners, NoProcAtAllIsNothing) {
  ListenerScan nowhere{tables_, {.root = node_.path() + "/nowhere"}};
  EXPECT_THAT(nowhere.scan({}), IsEmpty());
}

// The kernel's own files, and this very process.
TEST(RealListeners, ASocketOfThisProcessIsFoundWithItsPid) {
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(socket.get(), 1), 0);
  ASSERT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const uint16_t port = ntohs(address.sin_port);

  EngineTable table;
  table.ports = {port};
  const std::vector<EngineTable> tables = {table};
  ListenerScan others(tables, {.own_pid = 0});
  const auto found = others.scan({});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].socket.address, "127.0.0.1");
  EXPECT_EQ(found[0].socket.port, port);
  EXPECT_EQ(found[0].owner.pid, getpid());
  EXPECT_FALSE(found[0].owner.command_line.empty());
  EXPECT_FALSE(found[0].ancestors.empty());

  ListenerScan ours(tables, {});
  EXPECT_THAT(ours.scan({}), IsEmpty());
}

}  // namespace
}  // namespace warpsight::engines

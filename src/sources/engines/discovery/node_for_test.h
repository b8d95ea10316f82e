// For tests of discovery: a node with processes and listening sockets, as /proc shows them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sources/sysfs/fake_root.h"

namespace warpsight::engines::testing {

class FakeNode {
 public:
  FakeNode() {
    root_.link("/proc/self/ns/net", "net:[4026531840]");
    show("/proc/net/tcp", sockets_);
  }

  std::string path() const { return root_.path(); }
  void write(std::string_view file, std::string_view bytes) const { root_.write(file, bytes); }

  // Arguments are given with blanks between them.
  void process(int pid, int parent, std::string command_line) const {
    std::ranges::replace(command_line, ' ', '\0');
    root_.write(fmt::format("/proc/{}/cmdline", pid), command_line + '\0');
    root_.write(fmt::format("/proc/{}/stat", pid),
                fmt::format("{} (a ) name) S {} 1 1 0\n", pid, parent));
    root_.make_directory(fmt::format("/proc/{}/fd", pid));
    enter_namespace(pid, "net:[4026531840]");
  }
  void end(int pid) const { root_.remove(fmt::format("/proc/{}", pid)); }

  // On all interfaces. pid 0: whose it is cannot be seen.
  void listen(uint16_t port, uint64_t inode, int pid = 0) {
    sockets_[inode] = port;
    show("/proc/net/tcp", sockets_);
    if (pid != 0) hold(pid, inode);
  }
  void close(uint64_t inode) {
    sockets_.erase(inode);
    show("/proc/net/tcp", sockets_);
  }
  void hold(int pid, uint64_t inode) const {
    root_.link(fmt::format("/proc/{}/fd/{}", pid, inode), fmt::format("socket:[{}]", inode));
  }

  void enter_namespace(int pid, const std::string& name) const {
    root_.link(fmt::format("/proc/{}/ns/net", pid), name);
  }
  void listen_inside(int pid, uint16_t port, uint64_t inode) {
    inside_[pid][inode] = port;
    show(fmt::format("/proc/{}/net/tcp", pid), inside_[pid]);
  }

 private:
  using Sockets = std::map<uint64_t, uint16_t>;

  void show(const std::string& file, const Sockets& sockets) const {
    std::string text = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n";
    for (const auto& [inode, port] : sockets) {
      text += fmt::format(
          "   0: 00000000:{:04X} 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 {} "
          "1\n",
          port, inode);
    }
    text += "   9: 0100007F:1F40 0100007F:9999 01 00000000:00000000 00:00000000 00000000 0 0 5 1\n";
    root_.write(file, text);
  }

  warpsight::testing::FakeRoot root_;
  Sockets sockets_;
  std::map<int, Sockets> inside_;
};

}  // namespace warpsight::engines::testing

// Sockets of this node that wait for connections, and whose they are, as far as a serving engine
// may be behind them. Nothing is sent to anybody.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sources/engines/tables/table.h"

namespace warpsight::engines {

struct ListeningSocket {
  std::string address;  // where it is reached: loopback when it listens on all interfaces
  uint16_t port = 0;
  uint64_t inode = 0;
};

// A line of /proc/net/tcp or tcp6. nullopt: it is none, or no listening socket.
std::optional<ListeningSocket> parse_listening(std::string_view line);

struct Process {
  int pid = 0;  // 0: unknown
  // Arguments separated by blanks, at most 4 KiB. It may hold secrets: not for anybody to see.
  std::string command_line;
};

struct Listener {
  ListeningSocket socket;
  Process owner;
  std::vector<Process> ancestors;  // the parent first, at most two
  // It listens in another network namespace than ours (a container): its address is not ours.
  bool other_namespace = false;
  bool usual_port = false;  // of a table
  bool by_command = false;  // the owner's command line is one of a table's
};

// Whether one of the table's commands is part of the command line.
bool command_matches(const EngineTable& table, std::string_view command_line);

struct ListenerSettings {
  std::string root = "/";           // of /proc
  std::optional<int> own_pid = {};  // never reported; not given: this process
};

// Remembers owners from scan to scan: the descriptors of all processes are looked through only when
// there is a socket not seen before.
class ListenerScan {
 public:
  static constexpr size_t kMaxListeners = 1024;
  static constexpr size_t kMaxProcesses = 32'768;
  static constexpr size_t kMaxDescriptors = 4096;  // of a process
  static constexpr size_t kMaxNamespaces = 32;

  // `tables` outlive it.
  ListenerScan(std::span<const EngineTable> tables, ListenerSettings settings);

  // Listeners on a usual port of a table, of a process whose command line is a table's, or of one
  // that is on a GPU or descends (two generations) from one that is. Of the latter two not those on
  // ports the kernel chose, unless the command line names the port: they are how the ranks of a job
  // find each other, and a stranger there does harm. The likeliest come first. What cannot be read
  // is left out.
  std::vector<Listener> scan(std::span<const int> gpu_pids);

  // Descriptors looked at by the last scan.
  uint64_t descriptors_read() const { return descriptors_read_; }

 private:
  struct Owner {
    Process process = {};
    std::vector<Process> ancestors = {};
    unsigned searches = 0;
    uint64_t last_scan = 0;
  };
  struct Known {
    bool matches = false;  // a table's command
    unsigned readings = 0;
    uint64_t last_scan = 0;
  };
  struct Found {
    ListeningSocket socket;
    int namespace_pid = 0;  // read through this process; 0: our own namespace
  };

  std::string proc(std::string_view rest) const;
  std::string proc(int pid, std::string_view rest) const;
  std::string command_line(int pid) const;
  Owner describe(int pid) const;

  void list_processes();
  bool matches_any(std::string_view command_line) const;
  std::vector<int> foreign_namespaces() const;
  void read_sockets(const std::string& directory, int namespace_pid, std::vector<Found>& out) const;
  void find_owners(const std::vector<Found>& sockets);
  void look_through(int pid, std::set<uint64_t>& wanted);
  std::optional<Listener> judge(const Found& found) const;
  bool on_gpu(const Owner& owner) const;
  bool chosen_by_kernel(uint16_t port) const;
  void read_port_range();

  std::span<const EngineTable> tables_;
  ListenerSettings settings_;
  int own_pid_ = 0;
  uint64_t scan_ = 0;
  uint64_t descriptors_read_ = 0;
  uint16_t first_ephemeral_ = 32'768;
  uint16_t last_ephemeral_ = 60'999;
  std::set<int> gpu_pids_;
  std::map<int, Known> processes_;              // all of the node
  std::unordered_map<uint64_t, Owner> owners_;  // by inode; pid 0: nobody we may see
};

}  // namespace warpsight::engines

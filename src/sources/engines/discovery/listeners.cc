#include "sources/engines/discovery/listeners.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iterator>
#include <tuple>

#include "platform/fd.h"
#include "platform/file.h"
#include "sources/engines/discovery/process_tree.h"
#include "sources/sysfs/directory.h"
#include "sources/sysfs/text.h"

namespace warpsight::engines {
namespace {

constexpr std::string_view kListening = "0A";
constexpr size_t kCommandLineLimit = 4096;
constexpr size_t kGenerations = 2;
constexpr unsigned kSearches = 2;         // for an owner
constexpr unsigned kReadAgainAfter = 10;  // scans: a process may change its command line
// Where torch and torchrun meet when nobody says otherwise.
constexpr std::array<uint16_t, 2> kRendezvousPorts = {29400, 29500};

// The kernel prints an address as numbers of 32 bits in the machine's own order.
bool read_address(std::string_view hex, std::span<uint32_t> words) {
  if (hex.size() != words.size() * 8) return false;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto word = to_number<uint32_t>(hex.substr(i * 8, 8), 16);
    if (!word) return false;
    words[i] = *word;
  }
  return true;
}

std::string to_text(int family, const void* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const char* written = inet_ntop(family, address, text.data(), text.size());
  return written != nullptr ? written : "";
}

std::string reachable_v4(uint32_t address) {
  return address == INADDR_ANY ? "127.0.0.1" : to_text(AF_INET, &address);
}

std::string reachable(std::string_view hex) {
  std::array<uint32_t, 4> words{};
  if (read_address(hex, std::span(words).first(1))) return reachable_v4(words[0]);
  if (!read_address(hex, words)) return {};
  in6_addr address{};
  std::memcpy(&address, words.data(), sizeof address);
  if (IN6_IS_ADDR_UNSPECIFIED(&address)) return "::1";
  if (IN6_IS_ADDR_V4MAPPED(&address)) return reachable_v4(words[3]);
  return to_text(AF_INET6, &address);
}

std::string link_target(const std::string& path) {
  std::array<char, 256> target;
  const ssize_t size = readlink(path.c_str(), target.data(), target.size());
  return size > 0 ? std::string(target.data(), static_cast<size_t>(size)) : std::string();
}

// "socket:[123]"
std::optional<uint64_t> socket_inode(std::string_view target) {
  constexpr std::string_view kPrefix = "socket:[";
  if (!target.starts_with(kPrefix) || !target.ends_with(']')) return std::nullopt;
  target.remove_prefix(kPrefix.size());
  target.remove_suffix(1);
  return to_number<uint64_t>(target);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "--port 8123", "--port=8123", "0.0.0.0:8123"; not as a part of another number.
bool names_port(std::string_view command_line, uint16_t port) {
  const std::string number = std::to_string(port);
  for (size_t at = command_line.find(number); at != std::string_view::npos;
       at = command_line.find(number, at + 1)) {
    const size_t end = at + number.size();
    const bool begins =
        at > 0 && std::string_view(" =:").find(command_line[at - 1]) != std::string_view::npos;
    if (begins && (end == command_line.size() || command_line[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

std::optional<ListeningSocket> parse_listening(std::string_view line) {
  next_word(line);  // its number
  const std::string_view local = next_word(line);
  next_word(line);  // the peer
  if (next_word(line) != kListening) return std::nullopt;
  for (int skipped = 0; skipped < 5; ++skipped) next_word(line);
  const auto inode = next_number(line);
  const size_t colon = local.find(':');
  if (!inode || *inode == 0 || colon == std::string_view::npos) return std::nullopt;
  const auto port = to_number<uint16_t>(local.substr(colon + 1), 16);
  std::string address = reachable(local.substr(0, colon));
  if (!port || *port == 0 || address.empty()) return std::nullopt;
  return ListeningSocket{std::move(address), *port, *inode};
}

bool command_matches(const EngineTable& table, std::string_view command_line) {
  return std::ranges::any_of(table.commands, [&](const std::string& part) {
    return !part.empty() && command_line.find(part) != std::string_view::npos;
  });
}

ListenerScan::ListenerScan(std::span<const EngineTable> tables, ListenerSettings settings)
    : tables_(tables), settings_(std::move(settings)) {
  const auto self = to_number<int>(link_target(proc("self")));
  own_pid_ = settings_.own_pid.value_or(self.value_or(getpid()));
}

std::string ListenerScan::proc(std::string_view rest) const {
  return under_root(settings_.root, fmt::format("/proc/{}", rest));
}

std::string ListenerScan::proc(int pid, std::string_view rest) const {
  return under_root(settings_.root, fmt::format("/proc/{}/{}", pid, rest));
}

std::string ListenerScan::command_line(int pid) const {
  std::array<char, kCommandLineLimit> buffer;
  const auto text = read_tiny_file(proc(pid, "cmdline").c_str(), buffer);
  std::string line(text.value_or(""));
  std::ranges::replace(line, '\0', ' ');
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

ListenerScan::Owner ListenerScan::describe(int pid) const {
  Owner owner{.process = {pid, command_line(pid)}, .last_scan = scan_};
  int ancestor = parent_process(settings_.root, pid);
  while (ancestor > 1 && owner.ancestors.size() < kGenerations) {
    owner.ancestors.push_back({ancestor, command_line(ancestor)});
    ancestor = parent_process(settings_.root, ancestor);
  }
  return owner;
}

bool ListenerScan::matches_any(std::string_view command_line) const {
  return std::ranges::any_of(
      tables_, [&](const EngineTable& table) { return command_matches(table, command_line); });
}

void ListenerScan::list_processes() {
  Directory(proc("")).for_each([&](std::string_view name) {
    const auto pid = is_digit(name.front()) ? to_number<int>(name) : std::nullopt;
    if (!pid || (processes_.size() >= kMaxProcesses && !processes_.contains(*pid))) return;
    Known& known = processes_[*pid];
    known.last_scan = scan_;
    // Twice at first: it may have been seen between fork and exec.
    if (known.readings < 2 || known.readings % kReadAgainAfter == 0) {
      known.matches = matches_any(command_line(*pid));
    }
    ++known.readings;
  });
  std::erase_if(processes_, [&](const auto& entry) { return entry.second.last_scan != scan_; });
}

// One process of each network namespace, other than ours, in which there may be an engine.
std::vector<int> ListenerScan::foreign_namespaces() const {
  const std::string ours = link_target(proc("self/ns/net"));
  if (ours.empty()) return {};
  std::set<std::string> seen = {ours};
  std::vector<int> pids;
  const auto consider = [&](int pid) {
    if (pids.size() >= kMaxNamespaces || pid <= 1) return;
    std::string name = link_target(proc(pid, "ns/net"));
    if (!name.empty() && seen.insert(std::move(name)).second) pids.push_back(pid);
  };
  for (const int pid : gpu_pids_) consider(pid);
  for (const auto& [pid, known] : processes_) {
    if (known.matches) consider(pid);
  }
  return pids;
}

// The kernel lists those that listen before all connections: a busy server's are not read.
void ListenerScan::read_sockets(const std::string& directory, int namespace_pid,
                                std::vector<Found>& out) const {
  for (const std::string_view file : {"tcp", "tcp6"}) {
    const Fd fd(::open((directory + std::string(file)).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) continue;
    std::array<char, 16'384> chunk;
    std::string rest;
    bool listening = true;
    while (listening && out.size() < kMaxListeners) {
      const ssize_t size = ::read(fd.get(), chunk.data(), chunk.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) break;
      rest.append(chunk.data(), static_cast<size_t>(size));
      listening = false;
      std::string_view text = rest;
      for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        auto socket = parse_listening(next_line(text));
        if (!socket || out.size() >= kMaxListeners) continue;
        listening = true;
        out.push_back({std::move(*socket), namespace_pid});
      }
      rest.erase(0, rest.size() - text.size());
    }
  }
}

void ListenerScan::look_through(int pid, std::set<uint64_t>& wanted) {
  const std::string directory = proc(pid, "fd");
  size_t seen = 0;
  std::vector<uint64_t> taken;
  Directory(directory).for_each([&](std::string_view name) {
    if (wanted.empty() || ++seen > kMaxDescriptors) return;
    ++descriptors_read_;
    const auto inode = socket_inode(link_target(fmt::format("{}/{}", directory, name)));
    if (inode && wanted.erase(*inode) > 0) taken.push_back(*inode);
  });
  if (taken.empty()) return;
  const Owner owner = describe(pid);
  for (const uint64_t inode : taken) owners_[inode] = owner;
}

void ListenerScan::find_owners(const std::vector<Found>& sockets) {
  std::set<uint64_t> wanted;
  // Not found by the scan before: the process may have been too young for its list.
  std::set<uint64_t> missed;
  for (const Found& found : sockets) {
    Owner& owner = owners_[found.socket.inode];
    // A child may hold the socket of a process that has ended.
    if (owner.process.pid != 0 && !processes_.contains(owner.process.pid)) owner = {};
    owner.last_scan = scan_;
    if (owner.process.pid != 0 || owner.searches >= kSearches) continue;
    (owner.searches == 0 ? wanted : missed).insert(found.socket.inode);
    ++owner.searches;
  }
  std::erase_if(owners_, [&](const auto& entry) { return entry.second.last_scan != scan_; });
  // The oldest first: a server and its workers may hold the same socket.
  for (const auto& [pid, known] : processes_) {
    if (!wanted.empty()) look_through(pid, wanted);
    if (!missed.empty() && known.readings == 1) look_through(pid, missed);
  }
}

bool ListenerScan::on_gpu(const Owner& owner) const {
  return gpu_pids_.contains(owner.process.pid) ||
         std::ranges::any_of(owner.ancestors,
                             [&](const Process& one) { return gpu_pids_.contains(one.pid); });
}

bool ListenerScan::chosen_by_kernel(uint16_t port) const {
  return port >= first_ephemeral_ && port <= last_ephemeral_;
}

void ListenerScan::read_port_range() {
  std::array<char, 64> buffer;
  auto text = read_tiny_file(proc("sys/net/ipv4/ip_local_port_range").c_str(), buffer);
  if (!text) return;
  const auto first = to_number<uint16_t>(next_word(*text));
  const auto last = to_number<uint16_t>(next_word(*text));
  if (!first || !last) return;
  first_ephemeral_ = *first;
  last_ephemeral_ = *last;
}

std::optional<Listener> ListenerScan::judge(const Found& found) const {
  const Owner& owner = owners_.at(found.socket.inode);
  if (owner.process.pid == own_pid_ && own_pid_ != 0) return std::nullopt;
  const uint16_t port = found.socket.port;
  Listener listener{found.socket, owner.process, owner.ancestors, found.namespace_pid != 0};
  listener.usual_port = std::ranges::any_of(tables_, [&](const EngineTable& table) {
    return std::ranges::find(table.ports, port) != table.ports.end();
  });
  listener.by_command = matches_any(owner.process.command_line);
  if (!listener.usual_port) {
    if (!listener.by_command && !on_gpu(owner)) return std::nullopt;
    const bool named = names_port(owner.process.command_line, port);
    if (chosen_by_kernel(port) && !named) return std::nullopt;
    if (std::ranges::find(kRendezvousPorts, port) != kRendezvousPorts.end()) return std::nullopt;
  }
  if (listener.owner.pid == 0 && listener.other_namespace) {
    listener.owner = {found.namespace_pid, command_line(found.namespace_pid)};
  }
  return listener;
}

std::vector<Listener> ListenerScan::scan(std::span<const int> gpu_pids) {
  ++scan_;
  descriptors_read_ = 0;
  gpu_pids_ = {gpu_pids.begin(), gpu_pids.end()};
  read_port_range();
  list_processes();

  std::vector<Found> sockets;
  read_sockets(proc("net/"), 0, sockets);
  for (const int pid : foreign_namespaces()) read_sockets(proc(pid, "net/"), pid, sockets);
  find_owners(sockets);

  std::vector<Listener> listeners;
  for (const Found& found : sockets) {
    if (auto listener = judge(found)) listeners.push_back(std::move(*listener));
  }
  const auto order = [](const Listener& one) {
    return std::tuple(one.other_namespace, !(one.usual_port && one.by_command), !one.by_command,
                      !one.usual_port, one.socket.port, one.socket.address, one.socket.inode);
  };
  std::ranges::sort(listeners, {}, order);
  return listeners;
}

}  // namespace warpsight::engines

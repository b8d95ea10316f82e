#include "sources/engines/discovery/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "platform/sockets.h"

namespace warpsight::engines {
namespace {

using std::chrono::minutes;

constexpr std::array<Duration, 3> kBackOff = {minutes{1}, minutes{5}, minutes{15}};
constexpr unsigned kUpdatesToAnswer = 2;

std::string address_of(const Listener& listener) {
  return to_string(SocketAddress{.host = listener.socket.address, .port = listener.socket.port});
}

bool is_engine(const std::optional<Verdict>& verdict) {
  return verdict && verdict->finding == Finding::engine;
}

std::string_view to_text(Evidence evidence) {
  switch (evidence) {
    case Evidence::command_line: return ", by command line";
    case Evidence::models: return ", by its list of models";
    case Evidence::page: return ", by the names on its page";
    case Evidence::none: break;
  }
  return "";
}

std::string name_of(const Verdict& verdict) {
  if (verdict.engine == nullptr) return "a server";
  const EngineTable& engine = *verdict.engine;
  std::string name = engine.title.empty() ? engine.name : engine.title;
  if (!verdict.version.empty()) name += " " + verdict.version;
  return name;
}

std::string finding_text(const Verdict& verdict, std::string_view process) {
  std::string name = name_of(verdict) + std::string(process);
  switch (verdict.finding) {
    case Finding::engine: return name + std::string(to_text(verdict.evidence));
    case Finding::metrics_off: return name + " shows no metrics";
    case Finding::not_an_engine: return fmt::format("no engine we know{}", process);
    case Finding::needs_credentials: return name + " asks for credentials";
    case Finding::unreachable: return name + " does not answer HTTP";
    case Finding::undecided: return name + " is not identified yet";
  }
  return name;
}

}  // namespace

Discovery::Discovery(std::span<const EngineTable> tables, ListenerSettings settings)
    : tables_(tables), scan_(tables, std::move(settings)) {}

void Discovery::begin_asking(Candidate& candidate, SteadyTime now) {
  std::vector<std::string> command_lines = {candidate.listener.owner.command_line};
  for (const Process& ancestor : candidate.listener.ancestors) {
    command_lines.push_back(ancestor.command_line);
  }
  candidate.asking.emplace(tables_, candidate.listener.socket.port, command_lines);
  settle(candidate, now);
}

void Discovery::take_scan(std::vector<Listener> listeners, SteadyTime now) {
  left_out_ = 0;
  std::set<Key> seen;
  const auto others = [&] {
    return std::ranges::count_if(candidates_,
                                 [](const auto& one) { return !is_engine(one.second.verdict); });
  };
  std::map<Key, Candidate> before = std::exchange(candidates_, {});
  for (Listener& listener : listeners) {
    const Key key{listener.socket.address, listener.socket.port,
                  listener.other_namespace ? listener.owner.pid : 0};
    if (!seen.insert(key).second) continue;
    const auto known = before.find(key);
    const bool same =
        known != before.end() && known->second.listener.socket.inode == listener.socket.inode;
    const bool settled = same && is_engine(known->second.verdict);
    if (!settled && others() >= static_cast<std::ptrdiff_t>(kMaxCandidates)) {
      ++left_out_;
      continue;
    }
    Candidate candidate;
    if (same) {
      candidate = std::move(known->second);
    } else {
      candidate.id = ++last_id_;
    }
    candidate.rank = seen.size() - 1;
    candidate.listener = std::move(listener);
    if (!same && !candidate.listener.other_namespace) begin_asking(candidate, now);
    candidates_.emplace(key, std::move(candidate));
  }
}

void Discovery::update(SteadyTime now, std::span<const int> gpu_pids) {
  take_scan(scan_.scan(gpu_pids), now);
  for (auto& [key, candidate] : candidates_) {
    if (!candidate.asked.empty() && ++candidate.updates_waited >= kUpdatesToAnswer) {
      take_answer(candidate, 0, {}, {}, now);
    }
    const bool due = !candidate.asking && now >= candidate.ask_again;
    if (due && !asked_no_more(candidate)) begin_asking(candidate, now);
  }
}

// Nothing more is learnt from an engine, from what is none, from one that wants credentials. A
// socket of a process whose page was found, or of a child of it, is there for something else.
bool Discovery::asked_no_more(const Candidate& candidate) const {
  if (!candidate.verdict) return true;
  const Finding finding = candidate.verdict->finding;
  if (finding == Finding::engine || finding == Finding::not_an_engine ||
      finding == Finding::needs_credentials) {
    return true;
  }
  return process_is_found(candidate.listener.owner.pid) ||
         (finding == Finding::unreachable &&
          std::ranges::any_of(candidate.listener.ancestors, [&](const Process& ancestor) {
            return process_is_found(ancestor.pid);
          }));
}

bool Discovery::process_is_found(int pid) const {
  return pid != 0 && std::ranges::any_of(candidates_, [&](const auto& one) {
           return one.second.listener.owner.pid == pid && is_engine(one.second.verdict);
         });
}

// The sockets of one process are asked one after another, until a page is found.
bool Discovery::waits_for_sibling(const Candidate& candidate) const {
  const int pid = candidate.listener.owner.pid;
  if (pid == 0) return false;
  return std::ranges::any_of(candidates_, [&](const auto& entry) {
    const Candidate& other = entry.second;
    if (other.listener.owner.pid != pid || other.id == candidate.id) return false;
    return is_engine(other.verdict) || !other.asked.empty() ||
           (other.asking && other.rank < candidate.rank);
  });
}

std::vector<Question> Discovery::requests() {
  std::vector<Question> questions;
  for (auto& [key, candidate] : candidates_) {
    if (!candidate.asking || !candidate.asked.empty() || waits_for_sibling(candidate)) continue;
    const auto next = candidate.asking->next();
    const auto* path = std::get_if<std::string>(&next);
    if (path == nullptr) continue;
    candidate.asked = *path;
    candidate.updates_waited = 0;
    questions.push_back({candidate.id, address_of(candidate.listener), *path});
  }
  return questions;
}

void Discovery::answer(uint64_t candidate, std::string_view path, int status, std::string_view body,
                       std::string_view content_type, SteadyTime now) {
  const auto found =
      std::ranges::find(candidates_, candidate, [](const auto& entry) { return entry.second.id; });
  if (found == candidates_.end()) return;
  Candidate& one = found->second;
  if (!one.asked.empty() && one.asked == path) take_answer(one, status, body, content_type, now);
}

void Discovery::take_answer(Candidate& candidate, int status, std::string_view body,
                            std::string_view content_type, SteadyTime now) {
  const std::string path = std::exchange(candidate.asked, {});
  if (!candidate.asking) return;
  candidate.asking->take(path, status, body, content_type);
  settle(candidate, now);
}

void Discovery::settle(Candidate& candidate, SteadyTime now) {
  if (!candidate.asking) return;
  auto next = candidate.asking->next();
  auto* verdict = std::get_if<Verdict>(&next);
  if (verdict == nullptr) return;
  candidate.verdict = std::move(*verdict);
  candidate.asking.reset();
  candidate.ask_again = now + kBackOff[std::min<size_t>(candidate.attempts, kBackOff.size() - 1)];
  ++candidate.attempts;
}

std::vector<FoundEndpoint> Discovery::found() const {
  std::vector<FoundEndpoint> endpoints;
  for (const auto& [key, candidate] : candidates_) {
    if (!candidate.verdict || endpoints.size() >= kMaxEndpoints) continue;
    const Verdict& verdict = *candidate.verdict;
    if (verdict.finding != Finding::engine) continue;
    endpoints.push_back({.address = address_of(candidate.listener),
                         .path = verdict.path,
                         .engine = verdict.engine->name,
                         .version = verdict.version,
                         .pid = candidate.listener.owner.pid});
  }
  return endpoints;
}

std::vector<Listener> Discovery::out_of_reach() const {
  std::vector<Listener> listeners;
  for (const auto& [key, candidate] : candidates_) {
    if (candidate.listener.other_namespace) listeners.push_back(candidate.listener);
  }
  return listeners;
}

std::string Discovery::describe(const Candidate& candidate) const {
  const Listener& listener = candidate.listener;
  const std::string process =
      listener.owner.pid == 0 ? std::string() : fmt::format(" (pid {})", listener.owner.pid);
  std::string line = address_of(listener) + ": ";
  if (listener.other_namespace) {
    return line + "in another network namespace" + process +
           "; name the address of its container in the configuration";
  }
  if (!is_engine(candidate.verdict) && process_is_found(listener.owner.pid)) {
    return line + "another socket of an engine" + process;
  }
  line += candidate.verdict ? finding_text(*candidate.verdict, process) : "being asked" + process;
  if (candidate.verdict && !candidate.verdict->hint.empty()) line += "; " + candidate.verdict->hint;
  return line;
}

std::vector<std::string> Discovery::describe() const {
  std::vector<std::string> lines;
  lines.reserve(candidates_.size());
  for (const auto& [key, candidate] : candidates_) lines.push_back(describe(candidate));
  return lines;
}

}  // namespace warpsight::engines

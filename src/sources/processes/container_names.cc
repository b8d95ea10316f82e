#include "sources/processes/container_names.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "net/foreign_text.h"
#include "platform/file.h"

namespace warpsight::processes {
namespace {

constexpr size_t kMaxText = 256;

bool is_socket(const std::string& path) {
  struct stat file{};
  return ::stat(path.c_str(), &file) == 0 && S_ISSOCK(file.st_mode);
}

ContainerName read_name(Json container) {
  std::string_view name = container["Name"].text();
  if (name.starts_with('/')) name.remove_prefix(1);
  return {printable_beginning(name, kMaxText),
          printable_beginning(container["Config"]["Image"].text(), kMaxText)};
}

}  // namespace

ContainerNames::ContainerNames(const Clock& clock, std::string_view root,
                               const std::vector<std::string>& sockets)
    : clock_(clock) {
  for (const std::string& socket : sockets) sockets_.push_back({under_root(root, socket)});
}

bool ContainerNames::follow(const std::set<std::string>& ids) {
  std::erase_if(entries_, [&](const auto& entry) { return !ids.contains(entry.first); });
  const SteadyTime deadline = clock_.steady() + kTimeout;
  size_t asked = 0;
  bool learnt = false;
  for (const std::string& id : ids) {
    if (entries_.size() >= kMaxContainers && !entries_.contains(id)) continue;
    Entry& entry = entries_[id];
    if (entry.known || clock_.steady() < entry.ask_at) continue;
    if (asked++ >= kMaxAsked || clock_.steady() >= deadline) break;
    ask(id, entry);
    learnt = learnt || entry.known;
  }
  return learnt;
}

void ContainerNames::ask(const std::string& id, Entry& entry) {
  entry.answer = "no runtime's socket is there to ask";
  for (Socket& socket : sockets_) {
    if (clock_.steady() < socket.rest_until || !is_socket(socket.path)) continue;
    if (ask_at(socket, id, entry)) break;
  }
  entry.ask_at = clock_.steady() + kAskAgain;
}

HttpClient* ContainerNames::client(std::string& why_not) {
  if (!client_) {
    HttpClientSettings settings;
    settings.timeout = kTimeout;
    settings.response_limit = kMaxAnswer;
    auto made = HttpClient::make(std::move(settings));
    if (!made) {
      why_not = made.error().message;
      return nullptr;
    }
    client_ = std::move(*made);
  }
  return client_.get();
}

bool ContainerNames::ask_at(Socket& socket, const std::string& id, Entry& entry) {
  HttpClient* const http = client(entry.answer);
  if (http == nullptr) return false;
  ++requests_;
  const auto reply = http->get(fmt::format("unix:{}:/containers/{}/json", socket.path, id), {});
  if (!reply) {
    entry.answer = reply.error().message;
    socket.rest_until = clock_.steady() + kAskAgain;
    return false;
  }
  if (reply->status != 200) {
    entry.answer = fmt::format("{} answers HTTP status {}", socket.path, reply->status);
    return false;
  }
  const auto container = json_.parse(reply->body);
  entry.name = container ? read_name(*container) : ContainerName{};
  entry.known = !entry.name.name.empty();
  entry.answer =
      entry.known ? fmt::format("{} says {}, of {}", socket.path, entry.name.name, entry.name.image)
                  : fmt::format("{} answers with what is no container", socket.path);
  return entry.known;
}

const ContainerName* ContainerNames::find(std::string_view id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() || !found->second.known ? nullptr : &found->second.name;
}

std::vector<Lookup> ContainerNames::lookups() const {
  std::vector<Lookup> lookups;
  for (const auto& [id, entry] : entries_) {
    if (!entry.answer.empty()) lookups.push_back({"name of container " + id, entry.answer});
  }
  return lookups;
}

}  // namespace warpsight::processes

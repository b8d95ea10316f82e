#include "sources/kubernetes/api/list_watch.h"

#include <fmt/format.h>

#include <utility>

#include "sources/kubernetes/api/query.h"

namespace warpsight::kubernetes {
namespace {

constexpr std::string_view kPageSize = "250";
constexpr size_t kMostPages = 40;
constexpr size_t kLargestPage = size_t{32} << 20;
constexpr size_t kLargestEvent = size_t{4} << 20;
constexpr size_t kLargestRefusal = size_t{16} * 1024;

constexpr std::string_view kWatchSeconds = "540";
// Servers send a bookmark about once a minute.
constexpr Duration kSilence = std::chrono::seconds{150};
constexpr Duration kShortWatch = std::chrono::seconds{5};
constexpr Duration kListAfter = std::chrono::minutes{30};
constexpr Duration kAfterForbidden = std::chrono::minutes{5};
constexpr Duration kAfterAbsent = std::chrono::minutes{10};

constexpr Backoff kBackoff(std::chrono::seconds{1}, std::chrono::seconds{30});

}  // namespace

ListWatch::ListWatch(ListWatchSettings settings, ObjectStore& store)
    : settings_(std::move(settings)), store_(store), backoff_(kBackoff), event_(kLargestEvent) {}

// Any version will do (0), so that the server answers from memory; only where that was twice too
// old to watch from is the latest asked for, which can cost the server a read of its store.
std::string ListWatch::list_path() const {
  Query query(settings_.path);
  query.with("fieldSelector", settings_.field_selector).with("limit", kPageSize);
  if (!continue_.empty()) {
    query.with("continue", continue_);
  } else if (expirations_ < 2) {
    query.with("resourceVersion", "0");
  }
  return query.take();
}

std::string ListWatch::watch_path() const {
  return Query(settings_.path)
      .with("fieldSelector", settings_.field_selector)
      .with("watch", "true")
      .with("allowWatchBookmarks", "true")
      .with("timeoutSeconds", kWatchSeconds)
      .with("resourceVersion", version_)
      .take();
}

std::optional<Question> ListWatch::next(SteadyTime now) {
  if (now < not_before_) return std::nullopt;
  if (stage_ == Stage::watch && now - listed_last_ >= kListAfter) list_anew();
  status_ = 0;
  buffer_.clear();
  if (stage_ == Stage::list) return Question{.path = list_path()};
  watched_from_ = now;
  return Question{.path = watch_path(), .lasting = true, .idle = kSilence};
}

void ListWatch::begun(int status) {
  status_ = status;
  if (status != kOk || stage_ == Stage::list) return;
  standing_ = Standing::good;
  problem_.clear();
}

bool ListWatch::heard(std::string_view bytes, SteadyTime now) {
  if (status_ != kOk) {
    buffer_ += bytes.substr(0, kLargestRefusal - buffer_.size());
    return true;
  }
  if (stage_ == Stage::watch) return take_lines(bytes, now);
  if (bytes.size() > kLargestPage - buffer_.size()) {
    broken("the list is larger than allowed", now);
    return false;
  }
  buffer_ += bytes;
  return true;
}

void ListWatch::ended(SteadyTime now) {
  if (status_ != kOk) {
    refused(now);
  } else if (stage_ == Stage::list) {
    take_page(now);
  } else if (now - watched_from_ < kShortWatch) {
    try_again(now);
  }
  buffer_ = {};
}

void ListWatch::failed(const TransportFailure& failure, SteadyTime now) {
  buffer_ = {};
  try_again(now);
  const bool watched = stage_ == Stage::watch && status_ == kOk;
  if (watched) return;  // it is gone on with from the last version
  standing_ = Standing::failing;
  problem_ = failure_text(failure);
}

bool ListWatch::take_page(SteadyTime now) {
  JsonText text(kLargestPage);
  const auto page = text.parse(buffer_);
  const Json metadata = page ? (*page)["metadata"] : Json{};
  if (!page || metadata["resourceVersion"].text().empty()) {
    broken("the answer is no list", now);
    return false;
  }
  if (continue_.empty()) {
    store_.list_begins();
    pages_ = 0;
  }
  (*page)["items"].for_each([&](Json object) { store_.put(object); });
  continue_ = metadata["continue"].text();
  if (!continue_.empty() && ++pages_ < kMostPages) return true;
  continue_.clear();
  store_.list_ends();
  version_ = metadata["resourceVersion"].text();
  stage_ = Stage::watch;
  standing_ = Standing::good;
  problem_.clear();
  listed_ = true;
  listed_last_ = now;
  return true;
}

bool ListWatch::take_lines(std::string_view bytes, SteadyTime now) {
  for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    const std::string begun_before = std::exchange(buffer_, {});
    std::string whole;
    if (!begun_before.empty()) line = whole = begun_before + std::string(line);
    if (!line.empty() && !take_event(line, now)) return false;
  }
  if (bytes.size() > kLargestEvent - buffer_.size()) {
    broken("an event is larger than allowed", now);
    return false;
  }
  buffer_ += bytes;
  return true;
}

bool ListWatch::take_event(std::string_view line, SteadyTime now) {
  const auto event = event_.parse(line);
  if (!event || !(*event)["object"].is_object()) {
    broken("what came is no event", now);
    return false;
  }
  const std::string_view type = (*event)["type"].text();
  const Json object = (*event)["object"];
  if (type == "ERROR") {
    if (object["code"].integer() == kGone) {
      expired(now);
    } else {
      broken("the server ended the watch with an error", now);
    }
    return false;
  }
  if (type == "ADDED" || type == "MODIFIED") store_.put(object);
  if (type == "DELETED") store_.remove(object);
  if (const auto version = object["metadata"]["resourceVersion"].text(); !version.empty()) {
    version_ = version;
    expirations_ = 0;
  }
  return true;
}

void ListWatch::refused(SteadyTime now) {
  if (status_ == kGone) return expired(now);
  const Right right{.verbs = stage_ == Stage::list ? "list" : "watch",
                    .resource = settings_.right.resource,
                    .group = settings_.right.group};
  problem_ = refusal_text(right, status_, buffer_);
  standing_ = status_ == kUnauthorized ? Standing::unauthorized
              : status_ == kForbidden  ? Standing::forbidden
              : status_ == kNotFound   ? Standing::absent
                                       : Standing::failing;
  const bool passing = status_ == kUnauthorized || status_ >= kTooMany;
  if (!passing) list_anew();
  try_again(now);
  if (status_ == kForbidden) not_before_ = now + kAfterForbidden;
  if (status_ == kNotFound) not_before_ = now + kAfterAbsent;
}

void ListWatch::expired(SteadyTime now) {
  ++expirations_;
  list_anew();
  try_again(now);
}

void ListWatch::broken(std::string_view why, SteadyTime now) {
  problem_ = fmt::format("{} cannot be read: {}; does the address belong to an API server?",
                         settings_.right.resource, why);
  standing_ = Standing::failing;
  buffer_ = {};
  list_anew();
  try_again(now);
}

Lookup ListWatch::lookup() const {
  std::string answer = problem_;
  if (standing_ == Standing::good) answer = fmt::format("known up to version {}", version_);
  if (standing_ == Standing::unasked) answer = "none yet";
  return {.question = fmt::format("list and watch {}?fieldSelector={}", settings_.path,
                                  settings_.field_selector),
          .answer = std::move(answer)};
}

}  // namespace warpsight::kubernetes

#include "sources/kubernetes/api/api_client.h"

#include <algorithm>
#include <utility>

#include "sources/kubernetes/api/refusal.h"

namespace warpsight::kubernetes {
namespace {

using Kind = TransportFailure::Kind;

// Of one advance: a watch that never falls silent must not keep its caller.
constexpr int kMostNews = 2000;
constexpr size_t kMostUntold = size_t{8} << 20;

}  // namespace

Result<std::unique_ptr<ApiClient>> ApiClient::make(Access access, Duration timeout,
                                                   const Clock& clock) {
  auto streams = HttpStreams::make({.tls = {.ca = access.ca_file}, .response_limit = kMostUntold});
  if (!streams) return fail(streams.error().message, streams.error().hint);
  return std::unique_ptr<ApiClient>(
      new ApiClient(std::move(*streams), std::move(access), timeout, clock));
}

ApiClient::ApiClient(std::unique_ptr<HttpStreams> streams, Access access, Duration timeout,
                     const Clock& clock)
    : streams_(std::move(streams)),
      url_(std::move(access.url)),
      token_(url_.starts_with("https://") ? std::move(access.token_file) : std::string()),
      timeout_(timeout),
      clock_(clock) {}

void ApiClient::add(Conversation& conversation) {
  talks_.push_back({.conversation = &conversation});
}

void ApiClient::ask(uint64_t tag, const Question& question) {
  Talk& talk = talks_[tag];
  auto headers = token_.headers();
  if (!headers) {
    talk.conversation->failed(
        {.kind = Kind::setup, .message = headers.error().message, .hint = headers.error().hint},
        clock_.steady());
    return;
  }
  headers->emplace_back("Accept", question.accept);
  streams_->begin(tag, url_ + question.path, *headers,
                  question.idle > Duration::zero() ? question.idle : timeout_);
  talk.under_way = talk.awaited = true;
  talk.lasting = question.lasting;
}

void ApiClient::begin_due() {
  for (uint64_t tag = 0; tag < talks_.size(); ++tag) {
    if (talks_[tag].under_way) continue;
    if (const auto question = talks_[tag].conversation->next(clock_.steady())) ask(tag, *question);
  }
}

void ApiClient::hand_on(StreamNews& news) {
  Talk& talk = talks_[news.tag];
  const SteadyTime now = clock_.steady();
  switch (news.kind) {
    case StreamNews::Kind::status:
      if (news.status == kUnauthorized) token_.refused();
      talk.awaited = !talk.lasting || news.status != kOk;
      talk.conversation->begun(news.status);
      return;
    case StreamNews::Kind::bytes:
      if (talk.conversation->heard(news.bytes, now)) return;
      streams_->cancel(news.tag);
      break;
    case StreamNews::Kind::ended: talk.conversation->ended(now); break;
    case StreamNews::Kind::failed: talk.conversation->failed(news.failure, now); break;
  }
  talk.under_way = talk.awaited = false;
}

bool ApiClient::awaits_any() const { return std::ranges::any_of(talks_, &Talk::awaited); }

void ApiClient::advance(Duration patience) {
  const SteadyTime start = SystemClock().steady();
  begin_due();
  for (int count = 0; count < kMostNews; ++count) {
    auto news = streams_->next(awaits_any() ? start + patience : start);
    if (!news) return;
    hand_on(*news);
    begin_due();
  }
}

}  // namespace warpsight::kubernetes

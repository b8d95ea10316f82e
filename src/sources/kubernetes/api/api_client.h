// Puts the questions of conversations to one server, all at once, and hands them the answers.
#pragma once

#include <memory>
#include <vector>

#include "net/http_stream.h"
#include "sources/kubernetes/api/access.h"
#include "sources/kubernetes/api/conversation.h"

namespace warpsight::kubernetes {

// For one thread: whoever calls advance().
class ApiClient {
 public:
  // Questions are given up after `timeout` without a byte where they do not say otherwise. A token
  // is shown over TLS alone.
  static Result<std::unique_ptr<ApiClient>> make(Access access, Duration timeout,
                                                 const Clock& clock);

  // `conversation` must outlive the last advance().
  void add(Conversation& conversation);

  // Begins what is due and hands on what came. Waits no longer than `patience`, and only for
  // answers that end: what a watch has to say is there or it is not.
  void advance(Duration patience);

  const std::string& url() const { return url_; }

 private:
  struct Talk {
    Conversation* conversation;
    bool under_way = false;
    bool awaited = false;
    bool lasting = false;
  };

  ApiClient(std::unique_ptr<HttpStreams> streams, Access access, Duration timeout,
            const Clock& clock);

  void begin_due();
  void ask(uint64_t tag, const Question& question);
  void hand_on(StreamNews& news);
  bool awaits_any() const;

  std::unique_ptr<HttpStreams> streams_;
  std::string url_;
  TokenFile token_;
  Duration timeout_;
  const Clock& clock_;
  std::vector<Talk> talks_;  // by tag
};

}  // namespace warpsight::kubernetes

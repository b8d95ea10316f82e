// Knows all objects of a kind, and every change to them: lists them, then watches from where the
// list ended. https://kubernetes.io/docs/reference/using-api/api-concepts/
#pragma once

#include "runtime/backoff.h"
#include "sources/kubernetes/api/conversation.h"
#include "sources/kubernetes/api/refusal.h"
#include "wire/json_text.h"

namespace warpsight::kubernetes {

// Where the objects go. Those that were put between list_begins() and list_ends() are all there
// are; a list that never ends means nothing.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  virtual void list_begins() = 0;
  virtual void list_ends() = 0;
  virtual void put(Json object) = 0;
  virtual void remove(Json object) = 0;
};

struct ListWatchSettings {
  std::string path;            // "/api/v1/pods"
  std::string field_selector;  // "spec.nodeName=node1"
  Right right = {};            // its verbs are told one by one
};

class ListWatch final : public Conversation {
 public:
  enum class Standing : uint8_t { unasked, good, unauthorized, forbidden, absent, failing };

  // `store` must outlive it.
  ListWatch(ListWatchSettings settings, ObjectStore& store);

  std::optional<Question> next(SteadyTime now) override;
  void begun(int status) override;
  bool heard(std::string_view bytes, SteadyTime now) override;
  void ended(SteadyTime now) override;
  void failed(const TransportFailure& failure, SteadyTime now) override;
  Lookup lookup() const override;
  const std::string& problem() const override { return problem_; }

  // How the last list or the beginning of the last watch went.
  Standing standing() const { return standing_; }
  // Whether all objects were known at least once.
  bool listed() const { return listed_; }

 private:
  enum class Stage : uint8_t { list, watch };

  std::string list_path() const;
  std::string watch_path() const;
  bool take_page(SteadyTime now);
  bool take_lines(std::string_view bytes, SteadyTime now);
  bool take_event(std::string_view line, SteadyTime now);
  void refused(SteadyTime now);
  void list_anew() {
    stage_ = Stage::list;
    continue_.clear();
  }
  void expired(SteadyTime now);
  void broken(std::string_view why, SteadyTime now);
  void try_again(SteadyTime now) { not_before_ = now + backoff_.failed(now); }

  ListWatchSettings settings_;
  ObjectStore& store_;
  Stage stage_ = Stage::list;
  Standing standing_ = Standing::unasked;
  std::string problem_;
  SteadyTime not_before_{};
  Backoff backoff_;

  int status_ = 0;
  std::string buffer_;    // of the answer: what cannot be read before more has come
  std::string continue_;  // where the next page begins
  size_t pages_ = 0;      // of the list under way
  std::string version_;   // of the last object or bookmark
  int expirations_ = 0;   // in a row
  bool listed_ = false;
  SteadyTime listed_last_{};
  SteadyTime watched_from_{};
  JsonText event_;
};

}  // namespace warpsight::kubernetes

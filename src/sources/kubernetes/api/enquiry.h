// A conversation whose answers matter as a whole.
#pragma once

#include "sources/kubernetes/api/conversation.h"

namespace warpsight::kubernetes {

class Enquiry : public Conversation {
 public:
  void begun(int status) final;
  bool heard(std::string_view bytes, SteadyTime now) final;
  void ended(SteadyTime now) final;
  void failed(const TransportFailure& failure, SteadyTime now) final;

  Lookup lookup() const override { return {.question = "GET " + asked_, .answer = answer_}; }
  const std::string& problem() const override { return problem_; }

 protected:
  // An answer of more than `limit` bytes is a failure.
  explicit Enquiry(size_t limit) : limit_(limit) {}

  virtual void answered(int status, std::string_view body, SteadyTime now) = 0;
  virtual void unanswered(const TransportFailure& failure, SteadyTime now) = 0;

  std::string asked_;    // the path of the last question
  std::string answer_;   // what came of it, for people
  std::string problem_;  // see problem()

 private:
  size_t limit_;
  int status_ = 0;
  std::string body_;
};

}  // namespace warpsight::kubernetes

#include "sources/kubernetes/api/enquiry.h"

#include <utility>

namespace warpsight::kubernetes {

void Enquiry::begun(int status) {
  status_ = status;
  body_.clear();
}

bool Enquiry::heard(std::string_view bytes, SteadyTime now) {
  if (bytes.size() > limit_ - body_.size()) {
    body_ = {};
    unanswered({.kind = TransportFailure::Kind::too_large,
                .message = "the answer to GET " + asked_ + " is larger than allowed"},
               now);
    return false;
  }
  body_ += bytes;
  return true;
}

void Enquiry::ended(SteadyTime now) { answered(status_, std::exchange(body_, {}), now); }

void Enquiry::failed(const TransportFailure& failure, SteadyTime now) {
  body_ = {};
  unanswered(failure, now);
}

}  // namespace warpsight::kubernetes

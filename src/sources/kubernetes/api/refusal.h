// What an answer that is no success means to people.
#pragma once

#include <string>
#include <string_view>

#include "net/transport_failure.h"

namespace warpsight::kubernetes {

inline constexpr int kOk = 200;
inline constexpr int kUnauthorized = 401;
inline constexpr int kForbidden = 403;
inline constexpr int kNotFound = 404;
inline constexpr int kGone = 410;
inline constexpr int kTooMany = 429;

// What a role must allow for a question to be answered.
struct Right {
  std::string verbs;     // "list, watch"
  std::string resource;  // "pods"
  std::string group;     // "apps"; empty: the core group
};

// `body` is the server's Status, or anything else.
std::string refusal_text(const Right& right, int status, std::string_view body);

// The message of the Status, fit for a line; empty when there is none.
std::string status_message(std::string_view body);

std::string failure_text(const TransportFailure& failure);

}  // namespace warpsight::kubernetes

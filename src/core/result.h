// Errors as values. Nothing in Warpsight lets an exception leave its module.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace warpsight {

// What went wrong, for a person. `hint` says what to do about it and may be empty
// where the caller knows better.
struct Error {
  std::string message;
  std::string hint;
};

template <typename T = void>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(hint)});
}

// "message; hint", on one line.
inline std::string describe(const Error& error) {
  return error.hint.empty() ? error.message : error.message + "; " + error.hint;
}

}  // namespace warpsight

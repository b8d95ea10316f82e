// Text that came from a peer, made fit for a log line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpsight {

// The beginning of `text` as valid UTF-8 on one line: at most `limit` characters, control
// characters and broken bytes as "?", runs of white space as one space. "..." tells of more.
std::string printable_beginning(std::string_view text, size_t limit);

// RFC 3986: "%41" is "A". What is no escape stays as it is.
std::string percent_decode(std::string_view text);

}  // namespace warpsight

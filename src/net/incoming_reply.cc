#include "net/incoming_reply.h"

#include <utility>

namespace warpsight {
namespace {

constexpr size_t kLargestHeaders = size_t{64} * 1024;

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

void IncomingReply::begin(size_t limit, std::string memory) {
  *this = {};
  limit_ = limit;
  reply_.body = std::move(memory);
  reply_.body.clear();
}

size_t IncomingReply::take_body(std::string_view bytes) {
  too_large_ = too_large_ || bytes.size() > limit_ - reply_.body.size();
  if (too_large_) return 0;
  reply_.body += bytes;
  return bytes.size();
}

size_t IncomingReply::take_header(std::string_view line) {
  header_bytes_ += line.size();
  too_large_ = too_large_ || header_bytes_ > kLargestHeaders;
  if (too_large_) return 0;
  if (line.starts_with("HTTP/")) {
    reply_.headers.clear();  // those of an interim answer
    head_whole_ = false;
  } else if (trim(line).empty()) {
    head_whole_ = true;
  } else if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
    reply_.headers.emplace_back(line.substr(0, colon), trim(line.substr(colon + 1)));
  }
  return line.size();
}

std::string IncomingReply::drain() { return std::exchange(reply_.body, {}); }

HttpReply IncomingReply::finish(int status) {
  reply_.status = status;
  return std::move(reply_);
}

}  // namespace warpsight

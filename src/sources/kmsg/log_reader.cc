#include "sources/kmsg/log_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warpsight::kmsg {
namespace {

// The kernel refuses a read into less room than the record needs; 8 KiB is its own limit.
constexpr size_t kBuffer = size_t{16} * 1024;
constexpr size_t kLargestRecord = size_t{8} * 1024;

}  // namespace

LogReader::LogReader(std::string path, KmsgRead read)
    : path_(std::move(path)), read_(read), buffer_(kBuffer, '\0') {}

int LogReader::open() {
  start_ = size_ = 0;
  fd_.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return fd_ ? 0 : errno;
}

bool LogReader::take_line() {
  const std::string_view rest(buffer_.data() + start_, size_ - start_);
  const size_t end = rest.find('\n');
  if (end == std::string_view::npos) return false;
  line_ = rest.substr(0, end);
  start_ += end + 1;
  return true;
}

LogReader::Next LogReader::next() {
  for (;;) {
    if (take_line()) return Next::line;
    // A line no record can be as long as is junk.
    if (size_ - start_ > kLargestRecord) start_ = size_;
    std::memmove(buffer_.data(), buffer_.data() + start_, size_ - start_);
    size_ -= start_;
    start_ = 0;
    const ssize_t count = read_(fd_.get(), buffer_.data() + size_, buffer_.size() - size_);
    if (count > 0) {
      size_ += static_cast<size_t>(count);
      continue;
    }
    if (count == 0 || errno == EAGAIN) return Next::end;
    if (errno == EINTR) continue;
    if (errno == EPIPE) return Next::overrun;
    error_ = errno;
    fd_.reset();
    return Next::failed;
  }
}

Error explain_unreadable(const std::string& path, int error) {
  const std::string message = "cannot read the kernel log " + path + ": " + errno_text(error);
  switch (error) {
    case EPERM:
    case EACCES:
      return {message,
              "run as root or give the agent CAP_SYSLOG; without it the kernel must be set to "
              "kernel.dmesg_restrict=0 and the file be readable"};
    case ENOENT:
    case ENXIO: return {message, "in a container, pass the host's /dev/kmsg in"};
    default: return {message, "XIDs still come from NVML"};
  }
}

}  // namespace warpsight::kmsg

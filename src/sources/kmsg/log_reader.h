// Reads whole records off /dev/kmsg, or off a file that was recorded from it.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "platform/fd.h"
#include "sources/kmsg/kmsg.h"

namespace warpsight::kmsg {

class LogReader {
 public:
  enum class Next {
    line,     // line() holds one
    end,      // nothing more for now
    overrun,  // the kernel overwrote records before they were read
    failed,   // error() says why; the log is closed
  };

  LogReader(std::string path, KmsgRead read);

  bool is_open() const { return static_cast<bool>(fd_); }
  // errno, or 0.
  int open();

  Next next();

  // Without its newline; valid until the next call.
  std::string_view line() const { return line_; }
  int error() const { return error_; }
  const std::string& path() const { return path_; }

 private:
  bool take_line();

  std::string path_;
  KmsgRead read_;
  Fd fd_;
  int error_ = 0;
  std::string buffer_;
  size_t start_ = 0;  // of what has not been handed out
  size_t size_ = 0;   // end of what has been read
  std::string_view line_;
};

// What keeps the log from being read, and what would help.
Error explain_unreadable(const std::string& path, int error);

}  // namespace warpsight::kmsg

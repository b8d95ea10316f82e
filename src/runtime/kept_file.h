// A file that says what it was last told to, written on a thread of its own: who tells never waits
// for a disk.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/clock.h"

namespace warpsight {

class KeptFile {
 public:
  // The folder is made if need be; others may not read the file. What goes wrong is logged once,
  // and tried again. `purpose` says what is lost then: "alerts would not outlive a restart".
  KeptFile(std::string path, std::string purpose);
  // Waits for what is under way: see written_within().
  ~KeptFile();
  KeptFile(const KeptFile&) = delete;
  KeptFile& operator=(const KeptFile&) = delete;

  // What was told before and is not written yet never will be.
  void put(std::string text);

  // Whether all that was put is written, or failed to be, by then.
  bool written_within(Duration timeout);

 private:
  void run();
  void write(const std::string& text);

  const std::string path_;
  const std::string purpose_;
  bool failing_ = false;  // of the thread alone

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> next_;
  bool writing_ = false;
  bool stop_ = false;
  std::thread thread_;  // from the first put on
};

}  // namespace warpsight

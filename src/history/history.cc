#include "history/history.h"

#include <unistd.h>

#include "history/reader.h"
#include "history/recorder.h"
#include "history/store_files.h"

namespace warpsight {

Result<std::unique_ptr<History>> History::open(const HistorySettings& settings, const Clock& clock,
                                               const EntityTable& entities) {
  auto recorder = std::make_unique<Recorder>(settings, clock, entities);
  if (auto opened = recorder->open(); !opened) return tl::unexpected(opened.error());
  return recorder;
}

Result<std::unique_ptr<HistoryReader>> open_history(const std::string& directory) {
  const std::string path = database_path(directory);
  if (::access(path.c_str(), F_OK) != 0) {
    return fail("there is no history in " + directory, "start the agent, or give --config");
  }
  if (::access(path.c_str(), R_OK) != 0) {
    return fail("cannot read " + path, "run as the agent's user, or as root");
  }
  auto reader = std::make_unique<Reader>(path, nullptr);
  if (auto opened = reader->open(); !opened) return tl::unexpected(opened.error());
  return reader;
}

}  // namespace warpsight

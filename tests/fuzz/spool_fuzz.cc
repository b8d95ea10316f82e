// A spool found on disk may be damaged in any way: what comes out of it was once put in, in order,
// and the spool works on afterwards. The input says which sound records and which foreign bytes
// stand in the segment.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "runtime/log.h"
#include "runtime/spool.h"

namespace warpsight {
namespace {

struct Input {
  std::string segment;
  std::set<std::string> sound;
};

Input assemble(std::string_view data) {
  Input input;
  uint64_t sequence = 0;
  while (data.size() >= 2) {
    const auto tag = static_cast<uint8_t>(data[0]);
    const size_t size = std::min<size_t>(static_cast<uint8_t>(data[1]), data.size() - 2);
    const std::string bytes(data.substr(2, size));
    data.remove_prefix(2 + size);
    if (tag % 2 != 0) {
      input.segment += bytes;
      continue;
    }
    SpoolEntry entry;
    entry.sequence = sequence += tag / 64U;  // 0: a number that was there before
    entry.time = Time{std::chrono::seconds{1'700'000'000}};
    entry.message = {.kind = tag, .points = tag, .bytes = bytes};
    const RecordHeaderBytes header = encode_header(header_of(entry));
    input.segment.append(header.data(), header.size());
    input.segment += bytes;
    input.sound.insert(bytes);
  }
  // Cut anywhere.
  if (!data.empty())
    input.segment.resize(input.segment.size() * static_cast<uint8_t>(data[0]) / 256);
  return input;
}

const std::string& directory() {
  static const std::string path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "spool-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    configure_log({.level = LogLevel::error});
    return name;
  }();
  return path;
}

}  // namespace
}  // namespace warpsight

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  const Input input = assemble({reinterpret_cast<const char*>(data), size});
  std::filesystem::remove_all(directory());
  std::filesystem::create_directories(directory());
  std::ofstream(directory() + "/00000000000000000001.segment", std::ios::binary) << input.segment;

  const ManualClock clock;
  Spool spool({.directory = directory(), .sync = SyncPolicy::never}, clock);
  spool.open();
  SpoolEntry entry;
  uint64_t last = 0;
  while (spool.take_oldest(entry)) {
    if (!input.sound.contains(entry.message.bytes) || entry.sequence <= last) std::abort();
    last = entry.sequence;
    spool.remove_taken();
  }
  if (!spool.state().empty || spool.state().points != 0) std::abort();

  entry.sequence = spool.next_sequence();
  entry.time = clock.now();
  entry.message.bytes = "new";
  spool.put(entry);
  if (!spool.take_oldest(entry) || entry.message.bytes != "new") std::abort();
  return 0;
}

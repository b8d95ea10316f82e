// What it costs to keep messages on disk and to read them back, beside a plain write(2) and
// read(2) of the same bytes. A message is a publish of 2,000 points, about 60 kB.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "platform/fd.h"
#include "platform/test_dir.h"
#include "runtime/spool.h"

namespace warpsight {
namespace {

constexpr uint32_t kPoints = 2000;
constexpr size_t kBytes = 60'000;
constexpr int kMessages = 500;

// Labels that repeat and values that do not, as a publish has them.
std::string message_bytes() {
  std::string bytes;
  uint32_t state = 1;
  while (bytes.size() < kBytes) {
    state = state * 1664525U + 1013904223U;
    bytes += "gpu.index";
    bytes += std::to_string(state % 8);
    bytes.append(reinterpret_cast<const char*>(&state), sizeof state);
  }
  bytes.resize(kBytes);
  return bytes;
}

void count(benchmark::State& state) {
  const auto messages = static_cast<double>(state.iterations()) * kMessages;
  state.counters["points/s"] = benchmark::Counter(messages * kPoints, benchmark::Counter::kIsRate);
  state.SetBytesProcessed(static_cast<int64_t>(messages * kBytes));
}

void fill(Spool& spool, SpoolEntry& entry, const Clock& clock) {
  for (int i = 0; i < kMessages; ++i) {
    entry.sequence = spool.next_sequence();
    entry.time = clock.now();
    spool.put(entry);
  }
}

void drain(Spool& spool, SpoolEntry& entry) {
  while (spool.take_oldest(entry)) {
    benchmark::DoNotOptimize(entry.message.bytes.data());
    spool.remove_taken();
  }
}

void append_and_drain(benchmark::State& state, SyncPolicy sync, Compression compression) {
  const TestDir folder;
  const SystemClock clock;
  Spool spool({.directory = folder.path() + "/spool", .sync = sync, .compression = compression},
              clock);
  spool.open();
  SpoolEntry entry;
  entry.message = {.kind = 0, .points = kPoints, .bytes = message_bytes()};
  for (auto _ : state) {
    fill(spool, entry, clock);
    drain(spool, entry);
  }
  count(state);
}
BENCHMARK_CAPTURE(append_and_drain, never_synced, SyncPolicy::never, Compression::zstd)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(append_and_drain, uncompressed, SyncPolicy::never, Compression::none)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(append_and_drain, synced_each_interval, SyncPolicy::interval, Compression::zstd)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(append_and_drain, always_synced, SyncPolicy::always, Compression::zstd)
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// The floor: the same bytes, written and read with nothing around them.
void plain_write_and_read(benchmark::State& state) {
  const TestDir folder;
  std::string bytes = message_bytes();
  const std::string path = folder.path() + "/plain";
  for (auto _ : state) {
    const Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    bool ok = true;
    for (int i = 0; i < kMessages; ++i) ok &= ::write(fd.get(), bytes.data(), bytes.size()) > 0;
    ::lseek(fd.get(), 0, SEEK_SET);
    for (int i = 0; i < kMessages; ++i) ok &= ::read(fd.get(), bytes.data(), bytes.size()) > 0;
    ::unlink(path.c_str());
    if (!ok) state.SkipWithError("cannot write");
  }
  count(state);
}
BENCHMARK(plain_write_and_read)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpsight

// A day of 10,000 series at 10 s in the history, beside one plain SQLite table of the same samples:
// what a frame costs, what a sample takes on disk, how long a day of one series takes to read.
//
//   history_bench [--series N] [--hours N] [--seed N]
#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"
#include "history/history.h"

namespace warpsight {
namespace {

constexpr Duration kInterval = std::chrono::seconds{10};

struct Options {
  size_t series = 10'000;
  int hours = 24;
  uint64_t seed = 1;
};

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "history-bench-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

size_t resident_kb() {
  std::ifstream status("/proc/self/statm");
  size_t total = 0, resident = 0;
  status >> total >> resident;
  return resident * 4;
}

// As a node publishes: much that hardly changes, counters of bytes and of seconds, whole numbers
// that wander, and means with a full mantissa.
class Mix {
 public:
  explicit Mix(const Options& options) : random_(options.seed), values_(options.series) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<double>(i % 100);
  }

  static MetricKind kind(size_t series) {
    const size_t part = series % 20;
    return part >= 7 && part < 12 ? MetricKind::counter : MetricKind::gauge;
  }

  const std::vector<double>& next() {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = step(i % 20, values_[i]);
    return values_;
  }

 private:
  double step(size_t part, double value) {
    if (part < 7) return random_() % 1000 == 0 ? value + 1 : value;            // states, limits
    if (part < 10) return value + static_cast<double>(random_() % 2'000'000);  // bytes, packets
    if (part < 11) return value + std::round(noise(8, 1) * 100) / 100;         // hundredths
    if (part < 12) return value + noise(3000, 300);                            // joules
    if (part < 14) return std::round(value + noise(0, 1));                     // degrees
    if (part < 15) return std::round(noise(4000, 200)) * 1048576;              // memory
    return noise(400, 30);                                                     // means
  }
  double noise(double mean, double spread) {
    return std::normal_distribution<double>(mean, spread)(random_);
  }

  std::mt19937_64 random_;
  std::vector<double> values_;
};

struct QueryTime {
  double wall_ms;
  double cpu_ms;
};

struct Outcome {
  double cpu_percent;  // of a core, at one frame in 10 s
  double bytes_a_sample;
  QueryTime query;
  double record_us;  // on the publishing thread
  double memory_mb;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

template <typename Fn>
QueryTime median_time(Fn&& fn) {
  std::vector<double> wall, cpu;
  for (int i = 0; i < 15; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    const double used = cpu_seconds();
    fn(i);
    cpu.push_back((cpu_seconds() - used) * 1000);
    wall.push_back(to_seconds(std::chrono::steady_clock::now() - begun) * 1000);
  }
  return {median(wall), median(cpu)};
}

// The snapshot a registry would make, without the registry.
class Publisher {
 public:
  Publisher(EntityTable& entities, size_t count) : series_(count), samples_(count) {
    for (size_t i = 0; i < count; ++i) {
      const std::string index = std::to_string(i);
      series_[i].metric =
          Mix::kind(i) == MetricKind::counter ? Metric::gpu_busy_time : Metric::gpu_power_draw;
      series_[i].entity = entities.intern(
          EntityKind::gpu, kNoEntity,
          {{"gpu.index", index}, {"gpu.uuid", "GPU-5a17c0de-0000-4000-8000-" + index}});
      series_[i].birth = static_cast<uint32_t>(i + 1);
      samples_[i] = {static_cast<uint32_t>(i), series_[i].birth, {}, 0};
    }
  }
  Snapshot snapshot(Time time, const std::vector<double>& values) {
    for (size_t i = 0; i < values.size(); ++i) samples_[i].value = values[i];
    return {
        .time = time, .interval = kInterval, .samples = samples_, .series = series_, .events = {}};
  }

 private:
  std::vector<Series> series_;
  std::vector<Sample> samples_;
};

// What it costs to make the values up is not the store's.
double cpu_of_mix(const Options& options, int frames) {
  Mix mix(options);
  const double before = cpu_seconds();
  for (int i = 0; i < frames; ++i) mix.next();
  return cpu_seconds() - before;
}

Outcome measure_history(const Options& options, int frames, double mix_cpu) {
  const Folder folder;
  EntityTable entities;
  Publisher publisher(entities, options.series);
  Mix mix(options);
  ManualClock clock;
  HistorySettings settings;
  settings.directory = folder.path();
  settings.max_bytes = uint64_t{4} << 30;
  const size_t before_kb = resident_kb();
  auto history = std::move(*History::open(settings, clock, entities));

  std::vector<double> record;
  size_t most_kb = 0;
  const Time start = clock.now();
  const double before = cpu_seconds();
  for (int i = 0; i < frames; ++i) {
    const Snapshot snapshot = publisher.snapshot(start + kInterval * i, mix.next());
    const auto begun = std::chrono::steady_clock::now();
    history->record(snapshot);
    record.push_back(to_seconds(std::chrono::steady_clock::now() - begun) * 1e6);
    // A query waits until the frame was taken.
    static_cast<void>(history->events({.from = start, .to = start + kInterval}));
    if (i % 60 == 0) most_kb = std::max(most_kb, resident_kb());
  }
  const double cpu = cpu_seconds() - before - mix_cpu;
  const QueryTime query = median_time([&](int i) {
    SeriesQuery asked;
    asked.metrics = {"gpu.power.draw"};
    asked.matchers = {{"gpu.index", {std::to_string(15 + 20 * i)}}};
    asked.from = start;
    asked.to = start + kInterval * frames;
    const auto answer = history->series(asked);
    if (!answer || answer->rows.size() != 1) std::abort();
  });
  if (history->status().dropped != 0) std::abort();
  history->stop(std::chrono::seconds{60});
  const double samples = static_cast<double>(options.series) * frames;
  return {.cpu_percent = cpu / frames / to_seconds(kInterval) * 100,
          .bytes_a_sample = static_cast<double>(history->status().bytes) / samples,
          .query = query,
          .record_us = median(record),
          .memory_mb = static_cast<double>(most_kb - std::min(most_kb, before_kb)) / 1024};
}

void execute(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) std::abort();
}

// One row a sample, ordered by series so that a range is read in one go.
Outcome measure_plain_table(const Options& options, int frames, double mix_cpu) {
  const Folder folder;
  Mix mix(options);
  const std::string path = folder.path() + "/plain.db";
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) != SQLITE_OK) std::abort();
  execute(database,
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000;"
          "CREATE TABLE samples(series INTEGER, time INTEGER, value REAL,"
          " PRIMARY KEY(series, time)) WITHOUT ROWID;");
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(database, "INSERT INTO samples VALUES(?1, ?2, ?3)", -1, &insert, nullptr);
  const double before = cpu_seconds();
  for (int i = 0; i < frames; ++i) {
    const auto& values = mix.next();
    execute(database, "BEGIN");
    for (size_t s = 0; s < values.size(); ++s) {
      sqlite3_bind_int64(insert, 1, static_cast<int64_t>(s));
      sqlite3_bind_int64(insert, 2, 1'700'000'000'000 + 10'000LL * i);
      sqlite3_bind_double(insert, 3, values[s]);
      if (sqlite3_step(insert) != SQLITE_DONE) std::abort();
      sqlite3_reset(insert);
    }
    execute(database, "COMMIT");
  }
  const double cpu = cpu_seconds() - before - mix_cpu;
  sqlite3_finalize(insert);
  sqlite3_stmt* select = nullptr;
  sqlite3_prepare_v2(database,
                     "SELECT time / 120000, avg(value) FROM samples WHERE series = ?1 GROUP BY 1",
                     -1, &select, nullptr);
  const QueryTime query = median_time([&](int i) {
    sqlite3_bind_int64(select, 1, 15 + 20 * i);
    while (sqlite3_step(select) == SQLITE_ROW) {
    }
    sqlite3_reset(select);
  });
  sqlite3_finalize(select);
  sqlite3_close(database);
  const double samples = static_cast<double>(options.series) * frames;
  return {.cpu_percent = cpu / frames / to_seconds(kInterval) * 100,
          .bytes_a_sample = static_cast<double>(std::filesystem::file_size(path)) / samples,
          .query = query,
          .record_us = 0,
          .memory_mb = 0};
}

void print(const char* name, const Outcome& outcome, int frames) {
  std::printf("%-22s %9.2f %% %12.2f %10.2f %8.2f %8d", name, outcome.cpu_percent,
              outcome.bytes_a_sample, outcome.query.wall_ms, outcome.query.cpu_ms, frames);
  if (outcome.record_us > 0) {
    std::printf(" %10.0f us %8.1f MB", outcome.record_us, outcome.memory_mb);
  }
  std::printf("\n");
  std::fflush(stdout);
}

uint64_t number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    std::fprintf(stderr, "not a number: %s\n", std::string(text).c_str());
    std::exit(2);
  }
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const uint64_t value = number(argv[i + 1]);
    if (name == "--series") options.series = value;
    if (name == "--hours") options.hours = static_cast<int>(value);
    if (name == "--seed") options.seed = value;
  }
  return options;
}

}  // namespace
}  // namespace warpsight

int main(int argc, char** argv) {
  using namespace warpsight;
  const Options options = parse(argc, argv);
  const int frames = options.hours * 360;
  // The plain table gets ten minutes: a day of it is gigabytes, and hours to write.
  constexpr int kPeerFrames = 60;
  std::printf("%zu series at 10 s, %d h\n", options.series, options.hours);
  std::printf("%-22s %11s %12s %10s %8s %8s %13s %11s\n", "", "of a core", "bytes/sample",
              "query ms", "cpu ms", "frames", "on publish", "memory");
  print("history", measure_history(options, frames, cpu_of_mix(options, frames)), frames);
  print("plain SQLite table",
        measure_plain_table(options, kPeerFrames, cpu_of_mix(options, kPeerFrames)), kPeerFrames);
  return 0;
}

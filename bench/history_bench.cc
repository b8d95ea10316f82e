// Series at 10 s in the history, beside one plain SQLite table of the same samples: what a frame
// costs, what a sample takes on disk, how long the whole range of one series takes to read. The
// arguments are series and hours.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/registry.h"
#include "history/history.h"
#include "platform/test_dir.h"

namespace warpsight {
namespace {

constexpr Duration kInterval = std::chrono::seconds{10};

constexpr int kFramesAnHour = 360;

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
  explicit Mix(size_t series) : values_(series) {
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

  std::mt19937_64 random_{1};
  std::vector<double> values_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

template <typename Fn>
double median_ms(Fn&& fn) {
  std::vector<double> wall;
  for (int i = 0; i < 15; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    fn(i);
    wall.push_back(to_seconds(std::chrono::steady_clock::now() - begun) * 1000);
  }
  return median(wall);
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
double cpu_of_mix(size_t series, int frames) {
  Mix mix(series);
  const double before = cpu_seconds();
  for (int i = 0; i < frames; ++i) mix.next();
  return cpu_seconds() - before;
}

void tell(benchmark::State& state, double cpu, double bytes, int frames) {
  state.counters["%core"] = cpu / frames / to_seconds(kInterval) * 100;
  state.counters["B/sample"] = bytes / (static_cast<double>(state.range(0)) * frames);
}

void record_history(benchmark::State& state) {
  const auto series = static_cast<size_t>(state.range(0));
  const int frames = static_cast<int>(state.range(1)) * kFramesAnHour;
  const TestDir folder;
  EntityTable entities;
  Publisher publisher(entities, series);
  Mix mix(series);
  ManualClock clock;
  HistorySettings settings;
  settings.directory = folder.path();
  settings.max_bytes = uint64_t{4} << 30;
  const double mix_cpu = cpu_of_mix(series, frames);
  ::malloc_trim(0);
  const size_t before_kb = resident_kb();
  auto history = std::move(*History::open(settings, clock, entities));

  std::vector<double> record;
  size_t most_kb = before_kb;
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
  state.counters["query_ms"] = median_ms([&](int i) {
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
  tell(state, cpu, static_cast<double>(history->status().bytes), frames);
  state.counters["publish_us"] = median(record);
  state.counters["MB"] = static_cast<double>(most_kb - before_kb) / 1024;
}

void RecordHistory(benchmark::State& state) {
  for (auto _ : state) record_history(state);
}
BENCHMARK(RecordHistory)
    ->Name("history")
    ->Args({1500, 1})
    ->Args({1500, 24})
    ->Args({10'000, 24})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void execute(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) std::abort();
}

// One row a sample, ordered by series so that a range could be read in one go. It gets ten minutes:
// a day of it is gigabytes, and hours to write; so a query of it says nothing beside a day's.
void record_plain_table(benchmark::State& state) {
  constexpr int kFrames = 60;
  const auto series = static_cast<size_t>(state.range(0));
  const TestDir folder;
  Mix mix(series);
  const std::string path = folder.path() + "/plain.db";
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) != SQLITE_OK) std::abort();
  execute(database,
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000;"
          "CREATE TABLE samples(series INTEGER, time INTEGER, value REAL,"
          " PRIMARY KEY(series, time)) WITHOUT ROWID;");
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(database, "INSERT INTO samples VALUES(?1, ?2, ?3)", -1, &insert, nullptr);
  const double mix_cpu = cpu_of_mix(series, kFrames);
  const double before = cpu_seconds();
  for (int i = 0; i < kFrames; ++i) {
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
  sqlite3_close(database);
  tell(state, cpu, static_cast<double>(std::filesystem::file_size(path)), kFrames);
}

void RecordPlainTable(benchmark::State& state) {
  for (auto _ : state) record_plain_table(state);
}
BENCHMARK(RecordPlainTable)
    ->Name("plain SQLite table, 10 minutes")
    ->Arg(1500)
    ->Arg(10'000)
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace warpsight

// What it costs to read a scraped page: the words of it alone, rows of samples with their labels,
// the first scrape with every series new, and each later one. Three pages made here: an engine's
// mixed page of 237 families, a dcgm-exporter page of eight GPUs with pod labels, an engine's
// histogram of 1,024 buckets. Files named in WARPSIGHT_TEXT_BODIES, separated by colons, are read
// as well: prometheus_text_peers.py names the files that it gives to other parsers.
//
//   prometheus_text_bench --write-bodies DIR     writes the pages made here, for other parsers
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/prometheus_text/labels.h"
#include "wire/prometheus_text/reader.h"

namespace warpsight::prometheus_text {
namespace {

constexpr int kScrapes = 8;  // bodies of one page that differ in their values

// Values as pages have them: most are whole, many have an exponent, some have every digit.
std::string number(uint64_t n) {
  switch (n % 5) {
    case 0: return fmt::format("{}", n % 97);
    case 1: return fmt::format("{}", n * 7919 % 1'000'003);
    case 2: return fmt::format("{}.{:02}", n % 100, n % 89);
    case 3: return fmt::format("{:.9e}", static_cast<double>(n) * 12345.678);
    default: return fmt::format("{:.17g}", 0.013 + static_cast<double>(n) / 9973.0);
  }
}

std::string mixed_page(uint64_t turn) {
  std::string page;
  uint64_t n = turn * 104'729;
  for (int family = 0; family < 237; ++family) {
    const std::string name = fmt::format("engine_component_{}_requests_duration_seconds", family);
    const bool histogram = family % 16 == 0;
    const char* type = histogram ? "histogram" : family % 2 == 0 ? "counter" : "gauge";
    page += fmt::format("# HELP {} How long requests of this component took so far.\n", name);
    page += fmt::format("# TYPE {} {}\n", name, type);
    for (int child = 0; child < (histogram ? 2 : 6); ++child) {
      const std::string labels = fmt::format(R"(handler="/api/v1/query_{}",code="200")", child);
      for (int bucket = 0; histogram && bucket < 15; ++bucket) {
        page +=
            fmt::format("{}_bucket{{{},le=\"{}\"}} {}\n", name, labels, 0.001 * (bucket + 1), ++n);
      }
      page += fmt::format("{}{{{}}} {}\n", name, labels, number(++n));
    }
  }
  return page;
}

std::string dcgm_page(uint64_t turn) {
  std::string page;
  uint64_t n = turn * 104'729;
  for (int field = 0; field < 26; ++field) {
    const std::string name = fmt::format("DCGM_FI_DEV_FIELD_NUMBER_{}", field);
    page += fmt::format("# HELP {} What the field with this number says (in MiB).\n", name);
    page += fmt::format("# TYPE {} gauge\n", name);
    for (int gpu = 0; gpu < 8; ++gpu) {
      page += fmt::format(
          "{0}{{gpu=\"{1}\",UUID=\"GPU-3b2c1a00-5f1e-4c2d-9a77-0123456789a{1}\",pci_bus_id="
          "\"00000000:{1}A:00.0\",device=\"nvidia{1}\",modelName=\"NVIDIA H100 80GB "
          "HBM3\",Hostname="
          "\"gpu-node-0017\",DCGM_FI_DRIVER_VERSION=\"550.90.07\",container=\"server\",namespace="
          "\"inference\",pod=\"llama-70b-decode-7d9f8b6c5-x2x{1}q\"}} {2}\n",
          name, gpu, number(++n));
    }
  }
  return page;
}

std::string buckets_page(uint64_t turn) {
  std::string page = "# TYPE tgi_batch_next_size histogram\n";
  for (int le = 1; le <= 1024; ++le) {
    page += fmt::format("tgi_batch_next_size_bucket{{le=\"{}\"}} {}\n", le,
                        turn * 1000 + static_cast<uint64_t>(le) * 3);
  }
  page += fmt::format("tgi_batch_next_size_bucket{{le=\"+Inf\"}} {}\n", turn * 1000 + 4000);
  page += fmt::format("tgi_batch_next_size_sum {}\n", number(turn * 5 + 4));
  page += fmt::format("tgi_batch_next_size_count {}\n", turn * 1000 + 4000);
  return page;
}

using Bodies = std::vector<std::string>;  // one page, several scrapes

template <typename Page>
Bodies scrapes_of(Page page) {
  Bodies bodies;
  for (uint64_t turn = 0; turn < kScrapes; ++turn) bodies.push_back(page(turn));
  return bodies;
}

struct Sum {
  double total = 0;
  uint64_t series_met = 0;
  void sample(const SampleView& sample) { total += sample.reading.value; }
  void series(uint32_t, const SampleView&) { ++series_met; }
  void value(uint32_t, const Reading& reading) { total += reading.value; }
};

// Every sample and each of its labels, without escapes, in memory that is used again: what the row
// parser of VictoriaMetrics does. As there, one look at the whole page tells whether any escape is.
struct Rows {
  struct Row {
    std::string_view name;
    size_t first_label;
    double value;
    int64_t timestamp_ms;
  };

  std::vector<Row> rows{};
  std::vector<LabelView> labels{};
  std::deque<std::string> unescaped{};
  bool escapes = false;

  void begin(std::string_view body) {
    rows.clear();
    labels.clear();
    unescaped.clear();
    escapes = body.find('\\') != std::string_view::npos;
  }

  void sample(const SampleView& sample) {
    rows.push_back({sample.name, labels.size(), sample.reading.value, sample.reading.timestamp_ms});
    for_each_label(sample.labels, [&](const LabelView& label) {
      labels.push_back(label);
      if (!escapes) return;
      std::string& scratch = unescaped.emplace_back();
      labels.back().value = unescape(label.value, scratch);
    });
  }
};

void report(benchmark::State& state, size_t bytes, uint64_t samples) {
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
  state.counters["samples/s"] =
      benchmark::Counter(static_cast<double>(samples), benchmark::Counter::kIsRate);
}

void words(benchmark::State& state, const Bodies& bodies) {
  size_t bytes = 0;
  uint64_t samples = 0;
  size_t turn = 0;
  for (auto _ : state) {
    const std::string& body = bodies[turn++ % bodies.size()];
    Sum sum;
    samples += read_page(body, TextFormat::classic, sum).samples;
    benchmark::DoNotOptimize(sum.total);
    bytes += body.size();
  }
  report(state, bytes, samples);
}

void rows(benchmark::State& state, const Bodies& bodies) {
  size_t bytes = 0;
  uint64_t samples = 0;
  size_t turn = 0;
  Rows rows;
  for (auto _ : state) {
    const std::string& body = bodies[turn++ % bodies.size()];
    rows.begin(body);
    samples += read_page(body, TextFormat::classic, rows).samples;
    benchmark::DoNotOptimize(rows.labels.data());
    bytes += body.size();
  }
  report(state, bytes, samples);
}

void first_scrape(benchmark::State& state, const Bodies& bodies) {
  size_t bytes = 0;
  uint64_t samples = 0;
  size_t turn = 0;
  for (auto _ : state) {
    const std::string& body = bodies[turn++ % bodies.size()];
    SeriesIndex index;
    Sum sum;
    samples += read_scrape(body, TextFormat::classic, index, sum).samples;
    benchmark::DoNotOptimize(sum.total);
    bytes += body.size();
  }
  report(state, bytes, samples);
}

void later_scrape(benchmark::State& state, const Bodies& bodies) {
  size_t bytes = 0;
  uint64_t samples = 0;
  size_t turn = 0;
  SeriesIndex index;
  Sum sum;
  for (int i = 0; i < 2; ++i) read_scrape(bodies[0], TextFormat::classic, index, sum);
  for (auto _ : state) {
    const std::string& body = bodies[turn++ % bodies.size()];
    samples += read_scrape(body, TextFormat::classic, index, sum).samples;
    benchmark::DoNotOptimize(sum.total);
    bytes += body.size();
  }
  report(state, bytes, samples);
}

void add(const std::string& page, Bodies bodies) {
  for (const auto& [what, run] :
       {std::pair{"words", &words}, std::pair{"rows", &rows},
        std::pair{"first_scrape", &first_scrape}, std::pair{"later_scrape", &later_scrape}}) {
    const std::string name = fmt::format("{}/{}", what, page);
    benchmark::RegisterBenchmark(
        name.c_str(), [run = run, bodies](benchmark::State& state) { run(state, bodies); });
  }
}

void add_files(std::string_view paths) {
  while (!paths.empty()) {
    const size_t colon = std::min(paths.find(':'), paths.size());
    const std::filesystem::path path(paths.substr(0, colon));
    std::ifstream file(path, std::ios::binary);
    add(path.filename(), {std::string(std::istreambuf_iterator<char>(file), {})});
    paths.remove_prefix(std::min(colon + 1, paths.size()));
  }
}

void write_bodies(const std::filesystem::path& folder) {
  const auto write = [&](const char* name, const std::string& body) {
    std::ofstream(folder / name, std::ios::binary) << body;
  };
  write("mixed_237_families.prom", mixed_page(1));
  write("dcgm_8_gpus.prom", dcgm_page(1));
  write("tgi_1024_buckets.prom", buckets_page(1));
}

}  // namespace
}  // namespace warpsight::prometheus_text

int main(int argc, char** argv) {
  namespace text = warpsight::prometheus_text;
  if (argc == 3 && std::string_view(argv[1]) == "--write-bodies") {
    text::write_bodies(argv[2]);
    return 0;
  }
  text::add("mixed_237_families", text::scrapes_of(text::mixed_page));
  text::add("dcgm_8_gpus", text::scrapes_of(text::dcgm_page));
  text::add("tgi_1024_buckets", text::scrapes_of(text::buckets_page));
  if (const char* paths = std::getenv("WARPSIGHT_TEXT_BODIES")) text::add_files(paths);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

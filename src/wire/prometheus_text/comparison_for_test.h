// What the real reader makes of a page, in the words of the reference, and whether the two agree.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "wire/prometheus_text/labels.h"
#include "wire/prometheus_text/reader.h"
#include "wire/prometheus_text/reference_for_test.h"

namespace warpsight::prometheus_text::reference {

inline Sample sample_of(const SampleView& view) {
  std::string scratch;
  Sample sample;
  sample.name = view.quoted_name ? unescape(view.name, scratch) : view.name;
  for_each_label(view.labels, [&](const LabelView& label) {
    std::string name(unescape(label.name, scratch));
    sample.labels.emplace_back(std::move(name), std::string(unescape(label.value, scratch)));
  });
  sample.value = view.reading.value;
  if (!view.reading.timestamp_text.empty()) sample.timestamp_ms = view.reading.timestamp_ms;
  sample.exemplar = !view.reading.exemplar.empty();
  return sample;
}

inline bool same(const Sample& a, const Sample& b) {
  const bool nan = std::isnan(a.value) && std::isnan(b.value);
  return a.name == b.name && a.labels == b.labels && a.timestamp_ms == b.timestamp_ms &&
         a.exemplar == b.exemplar && (nan || std::memcmp(&a.value, &b.value, sizeof a.value) == 0);
}

struct Collector {
  Page page;
  void sample(const SampleView& view) { page.samples.push_back(sample_of(view)); }
  void type(const Metadata& metadata) {
    std::string scratch;
    std::string line(metadata.quoted_family ? unescape(metadata.family, scratch) : metadata.family);
    line += ' ';
    for (const char c : metadata.text) {
      line += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    page.types.push_back(std::move(line));
  }
};

// What a scrape through an index says: a series' labels from when it was first met, later values
// from the value alone.
struct ScrapeCollector {
  std::vector<Sample> known;  // by id
  std::vector<Sample> samples;
  void series(uint32_t id, const SampleView& view) {
    if (known.size() <= id) known.resize(id + 1);
    known[id] = sample_of(view);
  }
  void value(uint32_t id, const Reading& reading) {
    Sample sample = known.at(id);
    sample.value = reading.value;
    sample.timestamp_ms.reset();
    if (!reading.timestamp_text.empty()) sample.timestamp_ms = reading.timestamp_ms;
    sample.exemplar = !reading.exemplar.empty();
    samples.push_back(std::move(sample));
  }
};

inline std::string difference(const std::vector<Sample>& mine, const std::vector<Sample>& theirs) {
  for (size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
    if (!same(mine[i], theirs[i])) {
      return "sample " + std::to_string(i) + " differs: " + mine[i].name + " and " + theirs[i].name;
    }
  }
  if (mine.size() == theirs.size()) return {};
  return std::to_string(mine.size()) + " samples, not " + std::to_string(theirs.size());
}

// Empty when both readers say the same of the page, the index included.
inline std::string difference(std::string_view body, TextFormat format) {
  const Page expected = read(body, format);
  Collector collector;
  const Summary summary = read_page(body, format, collector);
  if (std::string text = difference(collector.page.samples, expected.samples); !text.empty()) {
    return text;
  }
  if (collector.page.types != expected.types) return "types differ";
  if (summary.eof != expected.eof) return "EOF differs";
  if (summary.bad_lines != expected.bad_lines.size()) return "bad lines differ in number";
  for (size_t i = 0; i < std::min<size_t>(Summary::kNoted, summary.bad_lines); ++i) {
    if (summary.first_bad[i].number != expected.bad_lines[i]) return "bad lines differ";
  }
  SeriesIndex index;
  ScrapeCollector scrape;
  for (int turn = 0; turn < 2; ++turn) {
    scrape.samples.clear();
    const Summary again = read_scrape(body, format, index, scrape);
    if (again.bad_lines != summary.bad_lines) return "a scrape has other bad lines";
    std::string text = difference(scrape.samples, expected.samples);
    if (!text.empty()) return "scrape: " + text;
    if (!index.missing().empty()) return "series are missing from their own page";
  }
  return {};
}

}  // namespace warpsight::prometheus_text::reference

// A page of Prometheus text or OpenMetrics, read once from front to back without copying. A line
// that is none is counted, noted and left out; the rest counts. How large a body may be is the
// caller's affair, as is whether a body that lacks `# EOF` was cut short.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "wire/prometheus_text/line.h"
#include "wire/prometheus_text/sample_reader.h"
#include "wire/prometheus_text/scan.h"
#include "wire/prometheus_text/series_index.h"

namespace warpsight::prometheus_text {

struct BadLine {
  uint64_t number = 0;  // the first line is 1
  Problem problem = Problem::none;
};

struct Summary {
  static constexpr size_t kNoted = 8;

  uint64_t lines = 0;
  uint64_t samples = 0;
  uint64_t dropped = 0;  // good samples of series that the index had no room for
  uint64_t bad_lines = 0;
  std::array<BadLine, kNoted> first_bad;  // as many as there were, at most kNoted
  bool eof = false;                       // `# EOF` was seen

  void note(Problem problem) {
    if (bad_lines < kNoted) first_bad[bad_lines] = {lines, problem};
    ++bad_lines;
  }
};

namespace detail {

template <typename Handler>
void tell(const Metadata& metadata, Handler& handler, Summary& summary) {
  switch (metadata.kind) {
    case Metadata::Kind::type:
      if constexpr (requires { handler.type(metadata); }) handler.type(metadata);
      break;
    case Metadata::Kind::help:
      if constexpr (requires { handler.help(metadata); }) handler.help(metadata);
      break;
    case Metadata::Kind::unit:
      if constexpr (requires { handler.unit(metadata); }) handler.unit(metadata);
      break;
    case Metadata::Kind::eof: summary.eof = true; break;
    case Metadata::Kind::comment: break;
  }
}

// A UNIT line without a good name: in classic text a comment like any other.
inline bool is_classic_comment(const Metadata& metadata, TextFormat format) {
  return format == TextFormat::classic && metadata.kind == Metadata::Kind::unit;
}

// `read_line` takes a sample that begins at its first argument, which it moves to the line's end.
template <typename Handler, typename ReadLine>
Summary for_each_line(std::string_view body, TextFormat format, Handler& handler,
                      ReadLine&& read_line) {
  Summary summary;
  const char* at = body.data();
  const char* const end = at + body.size();
  while (at < end) {
    ++summary.lines;
    at = skip_blanks(at, end);
    if (at == end) break;
    Problem problem = Problem::none;
    if (*at == '#') {
      const char* stop = find_newline(at, end);
      Metadata metadata;
      problem = read_metadata({at, static_cast<size_t>(stop - at)}, metadata);
      if (problem == Problem::none) {
        tell(metadata, handler, summary);
      } else if (is_classic_comment(metadata, format)) {
        problem = Problem::none;
      }
      at = stop;
    } else if (*at == '\r' && at_line_end(at, end)) {
      ++at;
    } else if (*at != '\n') {
      problem = read_line(at, end, summary);
    }
    if (problem != Problem::none) {
      summary.note(problem);
      at = find_newline(at, end);
    }
    if (at < end) ++at;
  }
  return summary;
}

}  // namespace detail

// Calls handler.sample(const SampleView&) for each sample, and handler.type, .help and
// .unit(const Metadata&) where it has them.
template <typename Handler>
Summary read_page(std::string_view body, TextFormat format, Handler&& handler) {
  SampleView sample;
  SampleReader reader(body.data() + body.size(), format);
  return detail::for_each_line(body, format, handler,
                               [&](const char*& at, const char*, Summary& summary) {
                                 const Problem problem = reader.read(at, sample);
                                 if (problem == Problem::none) {
                                   ++summary.samples;
                                   handler.sample(sample);
                                 }
                                 return problem;
                               });
}

// The same for a page that is read again and again. Calls handler.series(id, const SampleView&)
// when a series is met for the first time, and for each sample handler.value(id, const Reading&):
// of a known series only the value is read.
template <typename Handler>
Summary read_scrape(std::string_view body, TextFormat format, SeriesIndex& index,
                    Handler&& handler) {
  index.begin_scrape();
  SampleView sample;
  SampleReader reader(body.data() + body.size(), format);
  const Summary result = detail::for_each_line(
      body, format, handler, [&](const char*& at, const char* end, Summary& summary) {
        SeriesIndex::Id id = 0;
        if (const char* rest = index.match_expected(at, end, id)) {
          if (read_reading(rest, end, format, sample.reading) == Problem::none) {
            at = rest;
            index.take_expected();
            ++summary.samples;
            handler.value(id, sample.reading);
            return Problem::none;
          }
        }
        const Problem problem = reader.read(at, sample);
        if (problem != Problem::none) return problem;
        ++summary.samples;
        const auto found = index.find_or_add(sample.series);
        if (!found) {
          ++summary.dropped;
          return Problem::none;
        }
        if (found->added) handler.series(found->id, sample);
        handler.value(found->id, sample.reading);
        return Problem::none;
      });
  index.end_scrape();
  return result;
}

}  // namespace warpsight::prometheus_text

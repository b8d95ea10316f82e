// One line of a page, read in place. These take what Prometheus itself takes and a little more;
// what only a strict reader minds is in strict.h.
#pragma once

#include "wire/prometheus_text/number.h"
#include "wire/prometheus_text/sample.h"

namespace warpsight::prometheus_text {

// Reads a sample whose first byte, not a blank, is at `at`. Without a problem `at` is then the end
// of the line (its newline, or `end`, the end of the body); with one `at` stays.
Problem read_sample(const char*& at, const char* end, TextFormat format, SampleView& sample);

// The same for the series alone. Without a problem `at` is then behind it.
Problem read_series(const char*& at, const char* end, SampleView& sample);

// The same for what follows the series: blanks, a value, and maybe a timestamp and an
// exemplar. `at` is behind the series' last byte.
Problem read_any_reading(const char*& at, const char* end, TextFormat format, Reading& reading);

// The same again, at once where it is a space and a whole number, as it mostly is.
inline Problem read_reading(const char*& at, const char* end, TextFormat format, Reading& reading) {
  if (at == end || *at != ' ') return read_any_reading(at, end, format, reading);
  const char* first = at + 1;
  const char* stop = read_short_whole(first, end, reading.value);
  if (stop == nullptr) return read_any_reading(at, end, format, reading);
  reading.value_text = {first, static_cast<size_t>(stop - first)};
  reading.timestamp_text = {};
  reading.timestamp_ms = 0;
  reading.exemplar = {};
  at = stop;
  return Problem::none;
}

// Reads Reading::exemplar, `# {trace_id="abc"} 0.67 1520879607.789`, or says what is wrong with it.
// Its labels are those of `exemplar`, which has no name; its timestamp is in seconds in both
// formats.
Problem read_exemplar(std::string_view text, SampleView& exemplar);

// Reads a line that begins with '#', without its newline and blanks before it. Of one that lacks a
// good name, the kind is told all the same.
Problem read_metadata(std::string_view line, Metadata& metadata);

}  // namespace warpsight::prometheus_text

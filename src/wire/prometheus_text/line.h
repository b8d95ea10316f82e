// One line of a page, read in place. These take what Prometheus itself takes and a little more;
// what only a strict reader minds is in strict.h.
#pragma once

#include "wire/prometheus_text/sample.h"

namespace warpsight::prometheus_text {

// Reads a sample whose first byte, not a blank, is at `at`. Without a problem `at` is then the end
// of the line (its newline, or `end`, the end of the body); with one `at` stays.
Problem read_sample(const char*& at, const char* end, TextFormat format, SampleView& sample);

// The same for what follows the series alone: blanks, a value, and maybe a timestamp and an
// exemplar. `at` is behind the series' last byte.
Problem read_reading(const char*& at, const char* end, TextFormat format, Reading& reading);

// Reads Reading::exemplar, `# {trace_id="abc"} 0.67 1520879607.789`, or says what is wrong with it.
// Its labels are those of `exemplar`, which has no name; its timestamp is in seconds in both
// formats.
Problem read_exemplar(std::string_view text, SampleView& exemplar);

// Reads a line that begins with '#', without its newline and blanks before it.
Problem read_metadata(std::string_view line, Metadata& metadata);

}  // namespace warpsight::prometheus_text

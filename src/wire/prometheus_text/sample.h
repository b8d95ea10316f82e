// What a Prometheus text or OpenMetrics page says, as views into the page's own bytes. A view lives
// as long as the body it was read from.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpsight::prometheus_text {

// The two dialects. They differ in what a timestamp means: whole milliseconds in the classic text
// format (0.0.4), seconds with a fraction in OpenMetrics. Everything else is read alike.
enum class TextFormat : uint8_t { classic, open_metrics };

enum class FamilyType : uint8_t {
  unknown,
  counter,
  gauge,
  histogram,
  summary,
  gauge_histogram,
  info,
  state_set,
};

// What stands behind the series on a sample line.
struct Reading {
  double value = 0;
  std::string_view value_text;
  std::string_view timestamp_text;  // empty: the line has none
  int64_t timestamp_ms = 0;         // clamped to what fits
  std::string_view exemplar;        // from its '#' to the end of the line, unchecked; empty: none
};

struct SampleView {
  std::string_view series;  // the line from the name to the end of the name or the closing brace
  std::string_view name;    // as written, without quotes; see unescape() when quoted
  std::string_view labels;  // what is between the braces, checked; see for_each_label()
  bool quoted_name = false;
  Reading reading;
};

// A `# HELP`, `# TYPE`, `# UNIT` or `# EOF` line, or a comment of no meaning.
struct Metadata {
  enum class Kind : uint8_t { comment, help, type, unit, eof };
  Kind kind = Kind::comment;
  std::string_view family;  // as written, without quotes
  bool quoted_family = false;
  std::string_view text;  // help or unit, as written; the word of a type
  FamilyType type = FamilyType::unknown;
};

// Why a line was not taken.
enum class Problem : uint8_t {
  none,
  bad_name,
  two_names,
  no_name,
  bad_label_name,
  missing_equals,
  bad_label_value,
  missing_comma,
  open_labels,
  composite_value,
  missing_value,
  bad_value,
  bad_timestamp,
  trailing_text,
  bad_metadata_name,
  unknown_type,
};

// In a few words, for a log or a status page.
std::string_view describe(Problem problem);

}  // namespace warpsight::prometheus_text

// A second reader of the same pages, written to be obvious and not to be fast: it copies, it goes
// character by character, it converts numbers with the C library. Tests and the fuzzer hold the
// real reader against it.
#pragma once

#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/prometheus_text/sample.h"

namespace warpsight::prometheus_text::reference {

struct Sample {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;  // in the order of the page
  double value = 0;
  std::optional<int64_t> timestamp_ms;
  bool exemplar = false;
};

struct Page {
  std::vector<Sample> samples;
  std::vector<uint64_t> bad_lines;
  std::vector<std::string> types;  // "name type"
  bool eof = false;
};

// One line, eaten from its front. A function that returns false may have eaten some of it.
class Line {
 public:
  Line(std::string text, TextFormat format) : text_(std::move(text)), format_(format) {
    if (!text_.empty() && text_.back() == '\r') text_.pop_back();
  }

  void blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  bool done() const { return at_ >= text_.size(); }
  int peek() const { return done() ? -1 : static_cast<unsigned char>(text_[at_]); }
  bool eat(char c) {
    if (peek() != static_cast<unsigned char>(c)) return false;
    ++at_;
    return true;
  }
  std::string rest() const { return text_.substr(at_); }

  std::string word() {
    std::string out;
    while (!done() && peek() != ' ' && peek() != '\t') out += text_[at_++];
    return out;
  }

  std::string name(bool colons) {
    std::string out;
    while (is_ascii_alnum(peek()) || peek() == '_' || (colons && peek() == ':'))
      out += text_[at_++];
    const bool digit = !out.empty() && out[0] >= '0' && out[0] <= '9';
    return digit ? std::string() : out;
  }

  // A quoted string with its escapes resolved.
  bool quoted(std::string& out) {
    out.clear();
    if (!eat('"')) return false;
    while (!done()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\') {
        out += c;
        continue;
      }
      if (done()) return false;
      const char next = text_[at_++];
      if (next == 'n') {
        out += '\n';
      } else if (next == '\\' || next == '"') {
        out += next;
      } else {
        out += '\\';
        out += next;
      }
    }
    return false;
  }

  bool labels(Sample& sample) {
    for (;;) {
      blanks();
      if (eat('}')) return true;
      std::string key;
      const bool quotes = peek() == '"';
      if (quotes ? !quoted(key) : (key = name(false)).empty()) return false;
      blanks();
      if (eat('=')) {
        std::string value;
        blanks();
        if (key.empty() || !quoted(value)) return false;
        sample.labels.emplace_back(key, value);
      } else if (quotes && (peek() == ',' || peek() == '}') && sample.name.empty() &&
                 !key.empty()) {
        sample.name = key;
      } else {
        return false;
      }
      blanks();
      if (peek() != '}' && !eat(',')) return false;
    }
  }

  bool sample(Sample& out) {
    if (peek() >= '0' && peek() <= '9') return false;
    out.name = name(true);
    const bool bare = !out.name.empty();
    const size_t name_end = at_;
    blanks();
    bool braces = false;
    if (eat('{')) {
      braces = true;
      if (!labels(out)) return false;
    } else if (!bare) {
      return false;
    }
    if (out.name.empty()) return false;
    const size_t before = braces ? at_ : name_end;
    blanks();
    if (!braces && at_ == before) return false;
    if (!number(word(), out.value)) return false;
    blanks();
    if (!done() && peek() != '#') {
      int64_t milliseconds = 0;
      if (!timestamp(word(), milliseconds)) return false;
      out.timestamp_ms = milliseconds;
      blanks();
    }
    out.exemplar = peek() == '#';
    return done() || out.exemplar;
  }

 private:
  static bool is_ascii_alnum(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  // Only what is spelt as a number reaches strtod, which knows more spellings than the format.
  static bool number(const std::string& text, double& value) {
    std::string lower;
    for (const char c : text)
      lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::string bare = lower;
    if (!bare.empty() && (bare[0] == '+' || bare[0] == '-')) bare.erase(0, 1);
    if (bare.empty()) return false;
    const bool word = bare == "inf" || bare == "infinity" || bare == "nan";
    if (!word && bare.find_first_not_of("0123456789.e+-") != std::string::npos) return false;
    char* stop = nullptr;
    errno = 0;
    value = std::strtod(lower.c_str(), &stop);
    if (stop != lower.c_str() + lower.size() || lower.size() != text.size()) return false;
    return word || !std::isinf(value);
  }

  bool timestamp(const std::string& text, int64_t& milliseconds) const {
    if (format_ == TextFormat::open_metrics) {
      double seconds = 0;
      if (!number(text, seconds) || !std::isfinite(seconds)) return false;
      const double rounded = std::round(seconds * 1000);
      milliseconds = rounded >= 9.2e18    ? INT64_MAX
                     : rounded <= -9.2e18 ? INT64_MIN
                                          : static_cast<int64_t>(rounded);
      return true;
    }
    const size_t digits = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    if (text.size() == digits) return false;
    if (text.find_first_not_of("0123456789", digits) != std::string::npos) return false;
    errno = 0;
    milliseconds = std::strtoll(text.c_str(), nullptr, 10);
    return errno == 0;
  }

  std::string text_;
  TextFormat format_;
  size_t at_ = 0;
};

// False for a line that says it is metadata and is not.
inline bool read_comment(Line line, TextFormat format, Page& page) {
  line.eat('#');
  line.blanks();
  const std::string keyword = line.word();
  line.blanks();
  if (keyword == "EOF" && line.done()) page.eof = true;
  const bool unit = keyword == "UNIT" && format == TextFormat::open_metrics;
  if (keyword != "HELP" && keyword != "TYPE" && !unit) return true;
  if (line.done()) return true;
  std::string name;
  const bool good = line.peek() == '"' ? line.quoted(name) : !(name = line.name(true)).empty();
  if (!good || name.empty()) return false;
  if (!line.done() && line.peek() != ' ' && line.peek() != '\t') return false;
  if (keyword != "TYPE") return true;
  line.blanks();
  std::string type = line.rest();
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t' || type.back() == '\r')) {
    type.pop_back();
  }
  if (type.empty()) return true;
  for (char& c : type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* known : {"counter", "gauge", "histogram", "summary", "untyped", "unknown",
                            "gaugehistogram", "gauge_histogram", "info", "stateset"}) {
    if (type != known) continue;
    page.types.push_back(name + " " + type);
    return true;
  }
  return false;
}

inline Page read(std::string_view body, TextFormat format) {
  Page page;
  uint64_t number = 0;
  for (size_t from = 0; from < body.size();) {
    ++number;
    const size_t to = std::min(body.find('\n', from), body.size());
    Line line(std::string(body.substr(from, to - from)), format);
    from = to + 1;
    line.blanks();
    if (line.done()) continue;
    if (line.peek() == '#') {
      if (!read_comment(line, format, page)) page.bad_lines.push_back(number);
      continue;
    }
    Sample sample;
    if (line.sample(sample)) {
      page.samples.push_back(std::move(sample));
    } else {
      page.bad_lines.push_back(number);
    }
  }
  return page;
}

}  // namespace warpsight::prometheus_text::reference

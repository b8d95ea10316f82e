#include "wire/json.h"

#include <charconv>
#include <cmath>

#include "wire/number.h"
#include "wire/utf8.h"

namespace warpsight {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

// Printable ASCII that stands for itself.
bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  size_t at = 0;
  while (at < text.size()) {
    const size_t run = at;
    while (at < text.size() && is_plain(text[at])) ++at;
    out.append(text, run, at - run);
    if (at == text.size()) break;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      append_escape(out, text[at++]);
      continue;
    }
    const Utf8Part part = next_utf8(text.substr(at));
    out.append(part.valid ? text.substr(at, part.size) : kUtf8Replacement);
    at += part.size;
  }
  out += '"';
}

void append_json_number(std::string& out, double value) {
  if (std::isfinite(value)) {
    append_number(out, value);
  } else {
    out += "null";
  }
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) {
  separate();
  out_ += flag ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  append_json_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
  separate();
  append_integer(out_, number);
  return *this;
}

JsonWriter& JsonWriter::unsigned_integer(std::uint64_t number) {
  separate();
  char text[kNumberChars];
  out_.append(text, std::to_chars(text, text + kNumberChars, number).ptr);
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

}  // namespace warpsight

// A JSON writer that appends to a string its caller keeps. Nothing else is allocated.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpsight {

// Quoted and escaped. Bytes that are not UTF-8 become U+FFFD, one for each maximal bad part.
void append_json_string(std::string& out, std::string_view text);

// `null` when not finite: JSON has no other word for it.
void append_json_number(std::string& out, double value);

// Places commas and colons; the caller pairs begin and end, and gives each key a value.
//
//   JsonWriter(out).begin_object().field("up", true).field("name", name).end_object();
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag);
  JsonWriter& value(double number);
  JsonWriter& value(std::signed_integral auto number) { return integer(number); }
  JsonWriter& value(std::unsigned_integral auto number) { return unsigned_integer(number); }
  JsonWriter& null();

  JsonWriter& field(std::string_view name, const auto& content) { return key(name).value(content); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& integer(std::int64_t number);
  JsonWriter& unsigned_integer(std::uint64_t number);
  void separate() {
    if (comma_) out_ += ',';
    comma_ = true;
  }

  std::string& out_;
  bool comma_ = false;  // the next item follows another
};

}  // namespace warpsight

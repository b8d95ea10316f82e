#include <array>
#include <utility>

#include "wire/prometheus_text/line.h"
#include "wire/prometheus_text/scan.h"

namespace warpsight::prometheus_text {
namespace {

constexpr std::array<std::pair<std::string_view, FamilyType>, 9> kTypes = {{
    {"counter", FamilyType::counter},
    {"gauge", FamilyType::gauge},
    {"histogram", FamilyType::histogram},
    {"summary", FamilyType::summary},
    {"untyped", FamilyType::unknown},
    {"unknown", FamilyType::unknown},
    {"gaugehistogram", FamilyType::gauge_histogram},
    {"info", FamilyType::info},
    {"stateset", FamilyType::state_set},
}};

bool equal_in_any_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != lower[i]) return false;
  }
  return true;
}

bool find_type(std::string_view word, FamilyType& type) {
  for (const auto& [name, value] : kTypes) {
    if (name == word) {
      type = value;
      return true;
    }
  }
  if (equal_in_any_case(word, "gauge_histogram")) word = "gaugehistogram";
  for (const auto& [name, value] : kTypes) {
    if (equal_in_any_case(word, name)) {
      type = value;
      return true;
    }
  }
  return false;
}

std::string_view without_blanks_behind(std::string_view text) {
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// Takes the family's name from the front of `rest`.
bool take_family(std::string_view& rest, Metadata& metadata) {
  const char* first = rest.data();
  const char* end = first + rest.size();
  metadata.quoted_family = *first == '"';
  const char* stop = nullptr;
  if (metadata.quoted_family) {
    stop = string_end(++first, end);
    if (stop == nullptr) return false;
    rest.remove_prefix(static_cast<size_t>(stop + 1 - rest.data()));
  } else {
    if (is_digit(*first)) return false;
    stop = metric_name_end(first, end);
    rest.remove_prefix(static_cast<size_t>(stop - first));
  }
  metadata.family = {first, static_cast<size_t>(stop - first)};
  return stop > first && (rest.empty() || is_blank(rest[0]));
}

std::string_view without_blanks_before(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

Metadata::Kind kind_of(std::string_view word) {
  if (word == "EOF") return Metadata::Kind::eof;
  if (word.size() != 4) return Metadata::Kind::comment;
  if (word == "HELP") return Metadata::Kind::help;
  if (word == "TYPE") return Metadata::Kind::type;
  return word == "UNIT" ? Metadata::Kind::unit : Metadata::Kind::comment;
}

// Takes the keyword from the front of what follows the '#', with the blanks around it.
Metadata::Kind take_keyword(std::string_view& rest) {
  if (rest.starts_with(" HELP ") || rest.starts_with(" TYPE ")) {
    const bool help = rest[1] == 'H';
    rest = without_blanks_before(rest.substr(6));
    return help ? Metadata::Kind::help : Metadata::Kind::type;
  }
  rest = without_blanks_before(rest);
  size_t word = 0;
  while (word < rest.size() && !is_blank(rest[word])) ++word;
  const Metadata::Kind kind = kind_of(rest.substr(0, word));
  rest = without_blanks_before(rest.substr(word));
  return kind;
}

}  // namespace

Problem read_metadata(std::string_view line, Metadata& metadata) {
  metadata = {};
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string_view rest = line.substr(1);
  const Metadata::Kind kind = take_keyword(rest);
  if (kind == Metadata::Kind::comment) return Problem::none;
  if (kind == Metadata::Kind::eof) {
    if (rest.empty()) metadata.kind = kind;
    return Problem::none;
  }
  if (rest.empty()) return Problem::none;
  if (!take_family(rest, metadata)) {
    metadata.kind = kind;
    return Problem::bad_metadata_name;
  }
  const bool bare = rest.empty();
  metadata.text = without_blanks_before(rest);
  if (kind == Metadata::Kind::type) {
    metadata.text = without_blanks_behind(metadata.text);
    if (metadata.text.empty()) return Problem::none;
    if (!find_type(metadata.text, metadata.type)) return Problem::unknown_type;
  } else if (bare) {
    return Problem::none;
  }
  metadata.kind = kind;
  return Problem::none;
}

}  // namespace warpsight::prometheus_text

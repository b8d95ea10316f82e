#include "ui/accept.h"

#include <algorithm>
#include <cstdlib>

#include "core/catalogue.h"

namespace warpsight {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// "0", "1", "0.5", "0.125" in thousandths; anything else counts as 1, as if it were not there.
int quality_of(std::string_view text) {
  constexpr int kWhole = 1000;
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return kWhole;
  if (text[0] == '1') return kWhole;
  int value = 0;
  int place = kWhole / 10;
  if (text.size() > 1 && text[1] == '.') {
    for (const char c : text.substr(2)) {
      if (c < '0' || c > '9') return kWhole;
      value += (c - '0') * place;
      place /= 10;
    }
  }
  return value;
}

struct Choice {
  std::string_view name;
  std::string_view version;
  int quality = 1000;
};

template <typename Fn>
void for_each_choice(std::string_view header, Fn&& fn) {
  for_each_token(header, ',', [&](std::string_view item) {
    Choice choice;
    bool first = true;
    for_each_token(item, ';', [&](std::string_view part) {
      part = trim(part);
      if (first) {
        choice.name = part;
        first = false;
        return;
      }
      const size_t equals = part.find('=');
      if (equals == std::string_view::npos) return;
      const std::string_view key = trim(part.substr(0, equals));
      std::string_view value = trim(part.substr(equals + 1));
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        value = value.substr(1, value.size() - 2);
      }
      if (same(key, "q")) choice.quality = quality_of(value);
      if (same(key, "version")) choice.version = value;
    });
    if (!choice.name.empty()) fn(choice);
  });
}

}  // namespace

PageFormat negotiate_page(std::string_view accept) {
  int open = 0;
  int classic = 0;
  for_each_choice(accept, [&](const Choice& choice) {
    const std::string_view version = choice.version;
    if (same(choice.name, "application/openmetrics-text")) {
      if (version.empty() || version == "1.0.0" || version == "0.0.1") {
        open = std::max(open, choice.quality);
      }
    } else if (same(choice.name, "text/plain") || same(choice.name, "text/*") ||
               same(choice.name, "*/*")) {
      if (version.empty() || version == "0.0.4") classic = std::max(classic, choice.quality);
    }
  });
  return open > 0 && open >= classic ? PageFormat::open_metrics : PageFormat::classic;
}

bool accepts_gzip(std::string_view accept_encoding) {
  int gzip = -1;
  int any = 0;
  for_each_choice(accept_encoding, [&](const Choice& choice) {
    if (same(choice.name, "gzip") || same(choice.name, "x-gzip")) gzip = choice.quality;
    if (choice.name == "*") any = choice.quality;
  });
  return gzip >= 0 ? gzip > 0 : any > 0;
}

}  // namespace warpsight

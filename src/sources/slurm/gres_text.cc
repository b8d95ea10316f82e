#include "sources/slurm/gres_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "sources/sysfs/text.h"

namespace warpsight::slurm {
namespace {

constexpr unsigned kMaxIndex = 1023;
constexpr size_t kMaxItems = 256;

// Takes the text up to a comma outside parentheses, and the comma, off `text`.
std::string_view take_item(std::string_view& text) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if (text[at] != ',' || depth > 0) continue;
    const std::string_view item = text.substr(0, at);
    text.remove_prefix(at + 1);
    return item;
  }
  return std::exchange(text, {});
}

std::string_view take_word(std::string_view& text) {
  const size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  return word;
}

// "4", "2K".
bool is_count(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
         std::ranges::all_of(text.substr(0, text.size() - 1),
                             [](unsigned char c) { return std::isdigit(c) != 0; });
}

Gres parse_item(std::string_view item) {
  const size_t open = std::min(item.find('('), item.size());
  std::string_view words = item.substr(0, open);
  Gres gres;
  gres.name = take_word(words);
  const std::string_view second = take_word(words);
  const bool lone_count = words.empty() && is_count(second);
  if (!lone_count && second != "no_consume") gres.type = second;

  constexpr std::string_view kIndices = "(IDX:";
  std::string_view details = item.substr(open);
  if (details.starts_with(kIndices)) {
    details.remove_prefix(kIndices.size());
    gres.indices = parse_indices(details.substr(0, details.find(')')));
  }
  return gres;
}

}  // namespace

std::vector<unsigned> parse_indices(std::string_view text) {
  std::vector<unsigned> indices;
  while (!text.empty()) {
    const std::string_view item = take_item(text);
    const size_t dash = item.find('-');
    const auto low = to_number<unsigned>(item.substr(0, dash));
    const auto high =
        dash == std::string_view::npos ? low : to_number<unsigned>(item.substr(dash + 1));
    if (!low || !high || *high > kMaxIndex) continue;
    for (unsigned index = *low; index <= *high && indices.size() <= kMaxIndex; ++index) {
      indices.push_back(index);
    }
  }
  return indices;
}

std::vector<Gres> parse_gres(std::string_view text) {
  std::vector<Gres> all;
  text = trim(text);
  if (text == "(null)") return all;
  while (!text.empty() && all.size() < kMaxItems) {
    Gres gres = parse_item(take_item(text));
    if (!gres.name.empty()) all.push_back(std::move(gres));
  }
  return all;
}

}  // namespace warpsight::slurm

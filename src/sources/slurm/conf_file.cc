#include "sources/slurm/conf_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "platform/file.h"
#include "sources/sysfs/text.h"

namespace warpsight::slurm {
namespace {

constexpr int kMaxDepth = 8;
constexpr size_t kMaxLines = 200'000;
constexpr size_t kMaxFile = size_t{16} << 20;

using Include = std::function<std::string(std::string_view)>;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return lower(c); });
  return out;
}

bool is_key(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// Up to a '#' that no backslash keeps.
std::string_view without_comment(std::string_view line) {
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '#' && (at == 0 || line[at - 1] != '\\')) return line.substr(0, at);
  }
  return line;
}

// Takes a line off `text`, together with those that continue it.
std::string take_line(std::string_view& text) {
  std::string line;
  for (;;) {
    std::string_view piece = without_comment(next_line(text));
    while (!piece.empty() && is_blank(piece.back())) piece.remove_suffix(1);
    const bool continued = piece.ends_with('\\') && !text.empty();
    if (piece.ends_with('\\')) piece.remove_suffix(1);
    line += piece;
    if (!continued) return line;
  }
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

std::string_view take_value(std::string_view& text) {
  if (!text.starts_with('"')) return next_word(text);
  text.remove_prefix(1);
  const size_t quote = text.find('"');
  const std::string_view value = text.substr(0, quote);
  text.remove_prefix(quote == std::string_view::npos ? text.size() : quote + 1);
  return value;
}

ConfLine parse_line(std::string_view text) {
  ConfLine line;
  for (skip_blanks(text); !text.empty(); skip_blanks(text)) {
    const auto end = std::ranges::find_if_not(text, is_key);
    const auto length = static_cast<size_t>(end - text.begin());
    const std::string_view key = text.substr(0, length);
    std::string_view rest = text.substr(length);
    skip_blanks(rest);
    // "+=" and the like occur in slurm.conf; what they change is nothing this agent reads.
    if (!rest.empty() && std::string_view("-*+/").find(rest.front()) != std::string_view::npos) {
      rest.remove_prefix(1);
    }
    if (key.empty() || !rest.starts_with('=')) {
      (void)next_word(text);
      continue;
    }
    rest.remove_prefix(1);
    skip_blanks(rest);
    line.fields.emplace_back(lower(key), take_value(rest));
    text = rest;
  }
  return line;
}

Result<> parse_into(std::string_view text, const Include& include, int depth,
                    std::vector<ConfLine>& lines) {
  if (depth > kMaxDepth) return fail("files include one another without end");
  while (!text.empty()) {
    const std::string whole = take_line(text);
    std::string_view words = whole;
    if (lower(next_word(words)) == "include") {
      const std::string included = include(next_word(words));
      if (auto parsed = parse_into(included, include, depth + 1, lines); !parsed) return parsed;
      continue;
    }
    ConfLine parsed = parse_line(whole);
    if (parsed.fields.empty()) continue;
    if (lines.size() == kMaxLines) return fail("a file of too many lines");
    lines.push_back(std::move(parsed));
  }
  return {};
}

}  // namespace

const std::string* ConfLine::find(std::string_view key) const {
  const auto found = std::ranges::find(fields, key, &std::pair<std::string, std::string>::first);
  return found == fields.end() ? nullptr : &found->second;
}

Result<std::vector<ConfLine>> parse_conf(std::string_view text, const Include& include) {
  std::vector<ConfLine> lines;
  if (auto parsed = parse_into(text, include, 0, lines); !parsed) {
    return tl::unexpected(parsed.error());
  }
  return lines;
}

Result<std::vector<ConfLine>> read_conf(std::string_view root, const std::string& path) {
  const auto text = read_file(under_root(root, path), kMaxFile);
  if (!text) return tl::unexpected(text.error());
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  size_t budget = kMaxFile;
  auto lines = parse_conf(*text, [&](std::string_view name) {
    auto included = read_file(under_root(root, (folder / name).string()), budget);
    if (!included) return std::string();
    budget -= included->size();
    return std::move(*included);
  });
  if (!lines) return fail(path + ": " + lines.error().message);
  return lines;
}

}  // namespace warpsight::slurm

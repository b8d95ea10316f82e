#include "simulate/reader.h"

#include <fmt/format.h>

#include "core/nearest.h"
#include "simulate/text.h"

namespace warpsight::simulate {
namespace {

// What of a foreign text is fit to be shown.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out(text.substr(0, kLongest));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
  }
  return out;
}

}  // namespace

void Reader::fail(const YamlNode& node, std::string_view message, std::string hint) {
  if (failed()) return;
  error_ = Error{fmt::format("{}:{}: {}", origin_, node.line, message), std::move(hint)};
}

bool Reader::scalar(const YamlNode& node, std::string_view wanted) {
  if (failed()) return false;
  if (node.kind == YamlNode::Kind::scalar) return true;
  fail(node, fmt::format("{} is expected here", wanted));
  return false;
}

void Reader::number(const YamlNode& node, double& out, double lowest, double highest) {
  if (!scalar(node, "a number")) return;
  const auto value = parse_number(node.text);
  if (!value || *value < lowest || *value > highest) {
    fail(node, fmt::format("'{}' is not a number of {} to {}", shown(node.text), lowest, highest));
    return;
  }
  out = *value;
}

void Reader::seconds(const YamlNode& node, double& out, double lowest, double highest) {
  if (!scalar(node, "a time")) return;
  const auto value = parse_seconds(node.text);
  if (!value || *value < lowest || *value > highest) {
    fail(node, fmt::format("'{}' is not a time of {} s to {} s", shown(node.text), lowest, highest),
         "write 250ms, 20s, 5m or 1h");
    return;
  }
  out = *value;
}

void Reader::bytes(const YamlNode& node, std::uint64_t& out, std::uint64_t highest) {
  if (!scalar(node, "a size")) return;
  const auto value = parse_bytes(node.text);
  if (!value || *value < 0 || *value > static_cast<double>(highest)) {
    fail(node, fmt::format("'{}' is not a size of at most {} bytes", shown(node.text), highest),
         "write 80GiB, 640MiB or a number of bytes");
    return;
  }
  out = static_cast<std::uint64_t>(*value);
}

void Reader::boolean(const YamlNode& node, bool& out) {
  if (!scalar(node, "true or false")) return;
  if (node.text == "true") {
    out = true;
  } else if (node.text == "false") {
    out = false;
  } else {
    fail(node, fmt::format("'{}' is neither true nor false", shown(node.text)));
  }
}

void Reader::text(const YamlNode& node, std::string& out, std::size_t longest) {
  if (!scalar(node, "a text")) return;
  if (node.text.size() > longest) {
    fail(node, fmt::format("the text is longer than {} bytes", longest));
    return;
  }
  out = node.text;
}

bool Reader::sequence(const YamlNode& node, std::size_t most) {
  if (failed()) return false;
  if (node.kind != YamlNode::Kind::sequence) {
    fail(node, "a list is expected here");
  } else if (node.children.size() > most) {
    fail(node, fmt::format("the list has more than {} entries", most));
  }
  return !failed();
}

std::optional<std::uint64_t> Reader::unsigned_value(const YamlNode& node, std::uint64_t highest) {
  if (!scalar(node, "a whole number")) return std::nullopt;
  const auto value = parse_unsigned(node.text);
  if (value && *value <= highest) return value;
  fail(node, fmt::format("'{}' is not a whole number of 0 to {}", shown(node.text), highest));
  return std::nullopt;
}

void Reader::unknown(const YamlNode& node, std::string_view what, std::string_view given,
                     std::span<const std::string_view> valid) {
  const std::string_view near = nearest(given, valid);
  fail(node, fmt::format("unknown {} '{}'", what, shown(given)),
       near.empty() ? fmt::format("valid: {}", join_names(valid))
                    : fmt::format("did you mean '{}'?", near));
}

MapView::MapView(Reader& reader, const YamlNode& node, std::span<const std::string_view> keys)
    : reader_(reader), node_(node) {
  if (reader.failed()) return;
  if (node.kind != YamlNode::Kind::map) {
    reader.fail(node, "keys with values are expected here", "valid keys: " + join_names(keys));
    return;
  }
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const YamlNode& key = reader.child(node, i);
    if (std::find(keys.begin(), keys.end(), key.text) == keys.end()) {
      reader.unknown(key, "key", key.text, keys);
      return;
    }
    for (std::size_t j = 0; j < i; j += 2) {
      if (reader.child(node, j).text == key.text) {
        reader.fail(key, fmt::format("key '{}' is given twice", key.text));
        return;
      }
    }
  }
}

const YamlNode* MapView::find(std::string_view key) const {
  if (reader_.failed()) return nullptr;
  for (std::size_t i = 0; i + 1 < node_.children.size(); i += 2) {
    if (reader_.child(node_, i).text == key) return &reader_.child(node_, i + 1);
  }
  return nullptr;
}

void MapView::number(std::string_view key, double& out, double lowest, double highest) const {
  if (const YamlNode* value = find(key)) reader_.number(*value, out, lowest, highest);
}

void MapView::seconds(std::string_view key, double& out, double lowest, double highest) const {
  if (const YamlNode* value = find(key)) reader_.seconds(*value, out, lowest, highest);
}

void MapView::bytes(std::string_view key, std::uint64_t& out, std::uint64_t highest) const {
  if (const YamlNode* value = find(key)) reader_.bytes(*value, out, highest);
}

void MapView::boolean(std::string_view key, bool& out) const {
  if (const YamlNode* value = find(key)) reader_.boolean(*value, out);
}

void MapView::text(std::string_view key, std::string& out, std::size_t longest) const {
  if (const YamlNode* value = find(key)) reader_.text(*value, out, longest);
}

}  // namespace warpsight::simulate

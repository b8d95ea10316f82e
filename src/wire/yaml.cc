#include "wire/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <streambuf>

namespace warpsight {
namespace {

// Lets yaml-cpp read the caller's bytes without a copy.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // only read
    setg(begin, begin, begin + text.size());
  }
};

YamlPlace place_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {.line = mark.line + 1, .column = mark.column + 1};
}

// Thrown through yaml-cpp's parser to stop it, and caught in parse_yaml().
struct Stop {
  YamlError error;
};

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = 1 + node.keys.size();
  for (const YamlNode& item : node.items) count += count_nodes(item);
  return count;
}

std::size_t depth_of(const YamlNode& node) {
  std::size_t deepest = 0;
  for (const YamlNode& item : node.items) deepest = std::max(deepest, depth_of(item));
  return deepest + 1;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::size_t max_nodes) : max_nodes_(max_nodes) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add({.kind = YamlNode::Kind::null, .place = place_of(mark)}, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    add({.kind = YamlNode::Kind::scalar, .place = place_of(mark), .scalar = value}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) stop(place_of(mark), "an alias may not stand inside its anchor");
    YamlNode copy = found->second;
    copy.place = place_of(mark);
    if (open_.size() + depth_of(copy) > kMaxYamlDepth) too_deep(copy.place);
    count(count_nodes(copy) - 1, copy.place);
    add(std::move(copy), YAML::NullAnchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::sequence, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::map, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
  };

  [[noreturn]] static void stop(YamlPlace place, std::string message) {
    throw Stop{{place, std::move(message)}};
  }
  [[noreturn]] static void too_deep(YamlPlace place) {
    stop(place, fmt::format("nested deeper than {} levels", kMaxYamlDepth));
  }

  void count(std::size_t nodes, YamlPlace place) {
    nodes_ += nodes;
    if (nodes_ > max_nodes_) {
      stop(place, fmt::format("more than {} values, aliases counted", max_nodes_));
    }
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    const YamlPlace place = place_of(mark);
    if (open_.size() >= kMaxYamlDepth) too_deep(place);
    open_.push_back({.node = {.kind = kind, .place = place}, .anchor = anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.anchor);
  }

  // Puts a finished node where the document has it: as a map's next key or value, a sequence's
  // next item, or the root.
  void add(YamlNode node, YAML::anchor_t anchor) {
    count(1, node.place);
    if (anchor != YAML::NullAnchor) {
      count(count_nodes(node), node.place);  // kept a second time
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    YamlNode& parent = open_.back().node;
    const bool is_key =
        parent.kind == YamlNode::Kind::map && parent.keys.size() == parent.items.size();
    if (!is_key) {
      // yaml-cpp places a missing value at whatever comes next.
      const bool missing = node.kind == YamlNode::Kind::null && !parent.keys.empty();
      if (missing) node.place = parent.keys.back().place;
      parent.items.push_back(std::move(node));
      return;
    }
    if (node.kind != YamlNode::Kind::scalar) stop(node.place, "a key must be a name");
    parent.keys.push_back(std::move(node));
  }

  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  const std::size_t max_nodes_;
  std::size_t nodes_ = 0;
};

tl::expected<YamlNode, YamlError> parse_document(std::string_view text, std::size_t max_nodes) {
  ViewBuffer buffer(text);
  std::istream stream(&buffer);
  YAML::Parser parser(stream);
  TreeBuilder builder(max_nodes);
  if (!parser.HandleNextDocument(builder)) return YamlNode{};
  TreeBuilder second(max_nodes);
  if (parser.HandleNextDocument(second)) {
    return tl::unexpected(YamlError{second.take().place, "more than one document"});
  }
  return builder.take();
}

}  // namespace

tl::expected<YamlNode, YamlError> parse_yaml(std::string_view text, std::size_t max_nodes) {
  if (text.size() > kMaxYamlBytes) {
    return tl::unexpected(YamlError{{}, fmt::format("larger than {} bytes", kMaxYamlBytes)});
  }
  // yaml-cpp takes a quoted text that the end of the file cuts off for a complete one, but only
  // right after a line's end.
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  try {
    return parse_document(text, max_nodes);
  } catch (const Stop& stop) {
    return tl::unexpected(stop.error);
  } catch (const YAML::Exception& error) {
    return tl::unexpected(YamlError{place_of(error.mark), "not valid YAML: " + error.msg});
  } catch (const std::exception& error) {
    return tl::unexpected(YamlError{{}, std::string("not readable as YAML: ") + error.what()});
  }
}

}  // namespace warpsight

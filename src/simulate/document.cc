#include "simulate/document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <map>
#include <sstream>
#include <utility>

namespace warpsight::simulate {
namespace {

constexpr std::size_t kMaxNodes = 700'000;
constexpr std::size_t kMaxDepth = 32;

class Builder final : public YAML::EventHandler {
 public:
  Document take() { return std::move(document_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, anchor, YamlNode::Kind::null);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    document_.nodes[add(mark, anchor, YamlNode::Kind::scalar)].text = value;
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end()) throw YAML::ParserException(mark, "unknown alias");
    for (const std::uint32_t open : open_) {
      if (open == target->second) throw YAML::ParserException(mark, "an alias of its own parent");
    }
    attach(mark, target->second);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { open_.pop_back(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  void open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    if (open_.size() >= kMaxDepth) throw YAML::ParserException(mark, "nested too deeply");
    open_.push_back(add(mark, anchor, kind));
  }

  std::uint32_t add(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    if (document_.nodes.size() >= kMaxNodes) throw YAML::ParserException(mark, "too many values");
    const auto index = static_cast<std::uint32_t>(document_.nodes.size());
    YamlNode& node = document_.nodes.emplace_back();
    node.kind = kind;
    node.line = static_cast<std::uint32_t>(mark.line + 1);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = index;
    attach(mark, index);
    return index;
  }

  void attach(const YAML::Mark& mark, std::uint32_t index) {
    if (open_.empty()) return;
    std::vector<std::uint32_t>& siblings = document_.nodes[open_.back()].children;
    if (siblings.size() >= kMaxNodes) throw YAML::ParserException(mark, "too many values");
    siblings.push_back(index);
  }

  Document document_;
  std::vector<std::uint32_t> open_;
  std::map<YAML::anchor_t, std::uint32_t> anchors_;
};

}  // namespace

Result<Document> parse_yaml(std::string_view text, std::string_view origin) {
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder;
    if (!parser.HandleNextDocument(builder)) return fail(fmt::format("{}: is empty", origin));
    Document document = builder.take();
    if (document.nodes.empty()) return fail(fmt::format("{}: is empty", origin));
    return document;
  } catch (const YAML::Exception& error) {
    return fail(fmt::format("{}:{}: {}", origin, error.mark.line + 1, error.msg));
  } catch (const std::exception& error) {
    return fail(fmt::format("{}: {}", origin, error.what()));
  }
}

}  // namespace warpsight::simulate

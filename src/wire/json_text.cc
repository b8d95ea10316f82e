#include "wire/json_text.h"

#include <simdjson.h>

#include <bit>
#include <charconv>
#include <type_traits>

namespace warpsight {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kMaxDepth = 64;

using Bytes = std::array<std::byte, 16>;
static_assert(sizeof(dom::element) == sizeof(Bytes) && alignof(dom::element) <= 8);
static_assert(std::is_trivially_copyable_v<dom::element>);

dom::element element_of(const Bytes& bytes) { return std::bit_cast<dom::element>(bytes); }

}  // namespace

struct JsonText::State {
  explicit State(size_t most) : parser(most), limit(most) {}
  dom::parser parser;
  size_t limit;
};

JsonText::JsonText(size_t limit) : state_(std::make_unique<State>(limit)) {}
JsonText::~JsonText() = default;
JsonText::JsonText(JsonText&&) noexcept = default;
JsonText& JsonText::operator=(JsonText&&) noexcept = default;

Result<Json> JsonText::parse(std::string_view text) {
  if (text.size() > state_->limit) return fail("the JSON text is too long");
  // Grown as needed and no further: the parser's memory is many times the text's.
  dom::parser& parser = state_->parser;
  if (parser.capacity() < text.size() || parser.max_depth() != kMaxDepth) {
    if (parser.allocate(text.size(), kMaxDepth) != simdjson::SUCCESS) {
      return fail("no memory to read a JSON text");
    }
  }
  dom::element top;
  if (const auto error = parser.parse(text.data(), text.size()).get(top);
      error != simdjson::SUCCESS) {
    return fail(std::string("not JSON: ") + simdjson::error_message(error));
  }
  Json value;
  value.element_ = std::bit_cast<Bytes>(top);
  value.there_ = true;
  return value;
}

bool Json::is_object() const { return there_ && element_of(element_).is_object(); }
bool Json::is_array() const { return there_ && element_of(element_).is_array(); }

Json Json::operator[](std::string_view key) const {
  Json found;
  dom::object object;
  dom::element member;
  if (!there_ || element_of(element_).get(object) != simdjson::SUCCESS) return found;
  if (object.at_key(key).get(member) != simdjson::SUCCESS) return found;
  found.element_ = std::bit_cast<Bytes>(member);
  found.there_ = true;
  return found;
}

std::string_view Json::text() const {
  std::string_view text;
  if (there_ && element_of(element_).get(text) != simdjson::SUCCESS) text = {};
  return text;
}

std::optional<int64_t> Json::integer() const {
  if (!there_) return std::nullopt;
  int64_t number = 0;
  if (element_of(element_).get(number) == simdjson::SUCCESS) return number;
  const std::string_view quoted = text();
  const auto [end, error] = std::from_chars(quoted.data(), quoted.data() + quoted.size(), number);
  if (quoted.empty() || error != std::errc{} || end != quoted.data() + quoted.size()) {
    return std::nullopt;
  }
  return number;
}

std::optional<double> Json::number() const {
  double value = 0;
  if (!there_ || element_of(element_).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<bool> Json::boolean() const {
  bool value = false;
  if (!there_ || element_of(element_).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

size_t Json::size() const {
  dom::array array;
  if (!there_ || element_of(element_).get(array) != simdjson::SUCCESS) return 0;
  return array.size();
}

void Json::visit_items(void (*visit)(void*, Json), void* context) const {
  dom::array array;
  if (!there_ || element_of(element_).get(array) != simdjson::SUCCESS) return;
  for (const dom::element item : array) {
    Json value;
    value.element_ = std::bit_cast<Bytes>(item);
    value.there_ = true;
    visit(context, value);
  }
}

void Json::visit_members(void (*visit)(void*, std::string_view, Json), void* context) const {
  dom::object object;
  if (!there_ || element_of(element_).get(object) != simdjson::SUCCESS) return;
  for (const dom::key_value_pair member : object) {
    Json value;
    value.element_ = std::bit_cast<Bytes>(member.value);
    value.there_ = true;
    visit(context, member.key, value);
  }
}

}  // namespace warpsight

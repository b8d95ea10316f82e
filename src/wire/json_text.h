// Reads whole JSON texts that somebody else wrote: answers of API servers and of commands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/result.h"

namespace warpsight {

// A value inside a JsonText, valid as long as that is and parses nothing else. What is asked of a
// value that is not there, or of another kind, is not there either, so a way down needs no checks.
class Json {
 public:
  Json() = default;

  bool exists() const { return there_; }
  bool is_object() const;
  bool is_array() const;

  Json operator[](std::string_view key) const;

  // Into the text's memory; empty when it is no string.
  std::string_view text() const;
  // Also of a number that stands in quotes.
  std::optional<int64_t> integer() const;
  // Whole or not.
  std::optional<double> number() const;
  std::optional<bool> boolean() const;
  // Of an array; 0 when it is none.
  size_t size() const;

  // Calls fn(Json) for each item of an array.
  template <typename Fn>
  void for_each(Fn&& fn) const {
    using Visit = std::remove_reference_t<Fn>;
    visit_items([](void* context, Json item) { (*static_cast<Visit*>(context))(item); }, &fn);
  }
  // Calls fn(std::string_view key, Json value) for each member of an object.
  template <typename Fn>
  void for_each_member(Fn&& fn) const {
    using Visit = std::remove_reference_t<Fn>;
    visit_members([](void* context, std::string_view key,
                     Json value) { (*static_cast<Visit*>(context))(key, value); },
                  &fn);
  }

 private:
  friend class JsonText;
  void visit_items(void (*visit)(void*, Json), void* context) const;
  void visit_members(void (*visit)(void*, std::string_view, Json), void* context) const;

  alignas(8) std::array<std::byte, 16> element_{};  // the parser's own reference
  bool there_ = false;
};

// Keeps its memory from text to text.
class JsonText {
 public:
  explicit JsonText(size_t limit = size_t{64} << 20);
  ~JsonText();
  JsonText(JsonText&&) noexcept;
  JsonText& operator=(JsonText&&) noexcept;

  // The top value. Fails on what is not JSON, is longer than the limit, or nests too deeply.
  Result<Json> parse(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpsight

// Declarative options. The agent, every source and every sink state their keys as a constexpr
// table of OptionDef; loading, checking, documenting and comparing them is done here, once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "runtime/option_values.h"

namespace warpsight {

enum class OptionType {
  boolean,
  integer,
  number,
  duration,
  size,
  text,
  secret,
  choice,
  list,
  map,
  secret_map,  // a map whose values are secrets
};

std::string_view to_string(OptionType type);

struct OptionDef {
  std::string_view name;
  OptionType type{};
  // As a user would write it. Empty: no value until one is given (flag false, number 0, text "").
  std::string_view default_value;
  // One line of meaning, Markdown.
  std::string_view doc;
  // Choices "a|b|c" (of a choice, or of each item of a list), or an inclusive range "1..64",
  // "100ms..1h", "64KiB.." of a quantity. Empty: anything of the type.
  std::string_view allowed = {};
  // What the type alone cannot tell, of a text that is not empty or of each item of a list: an
  // address, a URL.
  Result<> (*check)(std::string_view text) = nullptr;
};

// One table made of several, for options that many have in common.
template <std::size_t... N>
constexpr auto join_options(const std::array<OptionDef, N>&... tables) {
  std::array<OptionDef, (N + ...)> joined{};
  auto* out = joined.data();
  ((out = std::copy(tables.begin(), tables.end(), out)), ...);
  return joined;
}

// The values of one table. Asking for a name that the table does not declare, or by another type
// than declared, is a mistake in the program and aborts.
class Options {
 public:
  using List = std::vector<std::string>;
  using Map = std::vector<std::pair<std::string, std::string>>;

  Options() = default;

  // `table` must outlive the options; a default that its own definition rejects aborts.
  static Options defaults(std::span<const OptionDef> table);

  bool flag(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  Duration duration(std::string_view name) const;
  std::uint64_t size(std::string_view name) const;
  // Of text and of choice options.
  const std::string& text(std::string_view name) const;
  // Only secrets are read this way, so that a search finds every use of one.
  const std::string& secret(std::string_view name) const;
  const List& list(std::string_view name) const;
  const Map& map(std::string_view name) const;
  const Map& secret_map(std::string_view name) const;

  // Whether a value was set rather than left at its default.
  bool given(std::string_view name) const;

  // Checks `text` against the definition and takes it. A list is "a,b,c", a map "k=v,k2=v2".
  // On failure the old value stays. The error never quotes a secret.
  Result<> set(std::string_view name, std::string_view text);
  Result<> set_list(std::string_view name, List items);
  Result<> set_map(std::string_view name, Map entries);

  // The value as text for people and dumps; a secret shows only whether there is one.
  std::string display(std::string_view name) const;

  std::span<const OptionDef> table() const { return table_; }
  // nullptr when the table has no such name.
  const OptionDef* find(std::string_view name) const;

  // Same table and same values, however they came to be.
  friend bool operator==(const Options& a, const Options& b);

 private:
  struct Slot {
    OptionValue value;
    bool given = false;
  };

  std::size_t index_of(std::string_view name) const;
  template <typename T>
  const T& get(std::string_view name, OptionType type) const;
  Result<std::size_t> settable(std::string_view name) const;

  std::span<const OptionDef> table_;
  std::vector<Slot> slots_;
};

}  // namespace warpsight

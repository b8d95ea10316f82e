#include "runtime/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/nearest.h"
#include "core/quantity.h"

namespace warpsight {
namespace {

[[noreturn]] void programming_error(std::string_view what, std::string_view name) {
  fmt::print(stderr, "warpsight: option \"{}\": {}\n", name, what);
  std::abort();
}

std::string join(const Options::List& items) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += ',';
    out += item;
  }
  return out;
}

std::string join(const Options::Map& entries) {
  Options::List items;
  items.reserve(entries.size());
  for (const auto& [key, value] : entries) items.push_back(fmt::format("{}={}", key, value));
  return join(items);
}

std::string join_hidden(const Options::Map& entries) {
  Options::List items;
  items.reserve(entries.size());
  for (const auto& [key, value] : entries) items.push_back(key + "=(hidden)");
  return join(items);
}

}  // namespace

std::string_view to_string(OptionType type) {
  switch (type) {
    case OptionType::boolean: return "boolean";
    case OptionType::integer: return "integer";
    case OptionType::number: return "number";
    case OptionType::duration: return "duration";
    case OptionType::size: return "size";
    case OptionType::text: return "text";
    case OptionType::secret: return "secret";
    case OptionType::choice: return "choice";
    case OptionType::list: return "list";
    case OptionType::map: return "map";
    case OptionType::secret_map: return "map of secrets";
  }
  return "unknown";
}

Options Options::defaults(std::span<const OptionDef> table) {
  Options options;
  options.table_ = table;
  options.slots_.reserve(table.size());
  for (const OptionDef& def : table) {
    auto value = parse_option(def, def.default_value);
    if (!value) programming_error(describe(value.error()), def.name);
    options.slots_.push_back({.value = std::move(*value), .given = false});
  }
  return options;
}

const OptionDef* Options::find(std::string_view name) const {
  const auto found = std::ranges::find(table_, name, &OptionDef::name);
  return found == table_.end() ? nullptr : &*found;
}

std::size_t Options::index_of(std::string_view name) const {
  const OptionDef* def = find(name);
  if (def == nullptr) programming_error("not declared in its table", name);
  return static_cast<std::size_t>(def - table_.data());
}

template <typename T>
const T& Options::get(std::string_view name, OptionType type) const {
  const std::size_t index = index_of(name);
  if (table_[index].type != type) {
    programming_error(
        fmt::format("is declared as {}, not {}", to_string(table_[index].type), to_string(type)),
        name);
  }
  return std::get<T>(slots_[index].value);
}

bool Options::flag(std::string_view name) const { return get<bool>(name, OptionType::boolean); }

std::int64_t Options::integer(std::string_view name) const {
  return get<std::int64_t>(name, OptionType::integer);
}

double Options::number(std::string_view name) const {
  return get<double>(name, OptionType::number);
}

Duration Options::duration(std::string_view name) const {
  return get<Duration>(name, OptionType::duration);
}

std::uint64_t Options::size(std::string_view name) const {
  return get<std::uint64_t>(name, OptionType::size);
}

const std::string& Options::text(std::string_view name) const {
  const bool choice = table_[index_of(name)].type == OptionType::choice;
  return get<std::string>(name, choice ? OptionType::choice : OptionType::text);
}

const std::string& Options::secret(std::string_view name) const {
  return get<std::string>(name, OptionType::secret);
}

const Options::List& Options::list(std::string_view name) const {
  return get<List>(name, OptionType::list);
}

const Options::Map& Options::map(std::string_view name) const {
  return get<Map>(name, OptionType::map);
}

const Options::Map& Options::secret_map(std::string_view name) const {
  return get<Map>(name, OptionType::secret_map);
}

bool Options::given(std::string_view name) const { return slots_[index_of(name)].given; }

Result<std::size_t> Options::settable(std::string_view name) const {
  if (find(name) != nullptr) return index_of(name);
  std::vector<std::string_view> names;
  names.reserve(table_.size());
  for (const OptionDef& def : table_) names.push_back(def.name);
  const std::string_view near = nearest(name, names);
  return fail(fmt::format("unknown key \"{}\"", name),
              near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
}

Result<> Options::set(std::string_view name, std::string_view text) {
  const auto index = settable(name);
  if (!index) return tl::unexpected(index.error());
  auto value = parse_option(table_[*index], text);
  if (!value) return tl::unexpected(std::move(value.error()));
  const bool nothing = text.empty() && table_[*index].default_value.empty();
  slots_[*index] = {.value = std::move(*value), .given = !nothing};
  return {};
}

Result<> Options::set_list(std::string_view name, List items) {
  const auto index = settable(name);
  if (!index) return tl::unexpected(index.error());
  const OptionDef& def = table_[*index];
  if (def.type != OptionType::list) return fail(expectation(def) + ", not a list");
  if (auto checked = check_items(def, items); !checked) return checked;
  slots_[*index] = {.value = std::move(items), .given = true};
  return {};
}

Result<> Options::set_map(std::string_view name, Map entries) {
  const auto index = settable(name);
  if (!index) return tl::unexpected(index.error());
  const OptionDef& def = table_[*index];
  if (def.type != OptionType::map && def.type != OptionType::secret_map)
    return fail(expectation(def) + ", not a map");
  slots_[*index] = {.value = std::move(entries), .given = true};
  return {};
}

std::string Options::display(std::string_view name) const {
  const std::size_t index = index_of(name);
  const OptionValue& value = slots_[index].value;
  switch (table_[index].type) {
    case OptionType::boolean: return std::get<bool>(value) ? "true" : "false";
    case OptionType::integer: return fmt::format("{}", std::get<std::int64_t>(value));
    case OptionType::number: return fmt::format("{}", std::get<double>(value));
    case OptionType::duration: return format_duration(std::get<Duration>(value));
    case OptionType::size: return format_size(std::get<std::uint64_t>(value));
    case OptionType::secret: return std::get<std::string>(value).empty() ? "" : "(hidden)";
    case OptionType::list: return join(std::get<List>(value));
    case OptionType::map: return join(std::get<Map>(value));
    case OptionType::secret_map: return join_hidden(std::get<Map>(value));
    case OptionType::text:
    case OptionType::choice: break;
  }
  return std::get<std::string>(value);
}

bool operator==(const Options& a, const Options& b) {
  return a.table_.data() == b.table_.data() && a.table_.size() == b.table_.size() &&
         std::ranges::equal(a.slots_, b.slots_, {}, &Options::Slot::value, &Options::Slot::value);
}

}  // namespace warpsight

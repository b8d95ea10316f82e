#include "runtime/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/nearest.h"
#include "core/quantity.h"
#include "runtime/options.h"

namespace warpsight {
namespace {

constexpr std::size_t kShownValue = 60;

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

template <typename Visit>
void split(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const auto at = std::min(text.find(separator), text.size());
    visit(trim(text.substr(0, at)));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
}

std::string_view kind_of_value(OptionType type) {
  switch (type) {
    case OptionType::boolean: return "true or false";
    case OptionType::integer: return "a whole number";
    case OptionType::number: return "a number";
    case OptionType::duration: return "a duration such as 250ms, 10s, 5m or 1h";
    case OptionType::size: return "a size such as 64KiB or 10MB";
    case OptionType::text: return "a text";
    case OptionType::secret: return "a secret: file:/path or ${VARIABLE}";
    case OptionType::choice: return "one of";
    case OptionType::list: return "a list";
    case OptionType::map: return "a map of names to texts";
    case OptionType::secret_map: return "a map of names to secrets: file:/path or ${VARIABLE}";
  }
  return "a value";
}

tl::unexpected<Error> wrong(const OptionDef& def, std::string_view text, std::string hint = {}) {
  if (def.type == OptionType::secret || def.type == OptionType::secret_map)
    return fail(expectation(def), std::move(hint));
  const bool cut = text.size() > kShownValue;
  return fail(fmt::format("{}, not \"{}{}\"", expectation(def), text.substr(0, kShownValue),
                          cut ? "..." : ""),
              std::move(hint));
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "no" || text == "off") return false;
  return std::nullopt;
}

template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

// Both ends of "a..b" are of the option's own type; an end left out is open.
template <typename T, typename Parse>
bool in_range(std::string_view allowed, const T& value, Parse parse) {
  const auto dots = allowed.find("..");
  if (dots == std::string_view::npos) return true;
  const std::optional<T> low = parse(allowed.substr(0, dots));
  const std::optional<T> high = parse(allowed.substr(dots + 2));
  return !(low && value < *low) && !(high && value > *high);
}

template <typename T, typename Parse>
Result<OptionValue> parse_quantity(const OptionDef& def, std::string_view text, Parse parse) {
  const std::optional<T> value = parse(text);
  if (!value || !in_range(def.allowed, *value, parse)) return wrong(def, text);
  return OptionValue(std::in_place_type<T>, *value);
}

Result<OptionValue> parse_choice(const OptionDef& def, std::string_view text) {
  const auto allowed = choices(def.allowed);
  if (std::ranges::find(allowed, text) == allowed.end()) {
    const std::string_view near = nearest(text, allowed);
    return wrong(def, text, near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
  return OptionValue(std::string(text));
}

Result<OptionValue> parse_list(const OptionDef& def, std::string_view text) {
  std::vector<std::string> items;
  split(text, ',', [&](std::string_view item) { items.emplace_back(item); });
  if (auto checked = check_items(def, items); !checked) return tl::unexpected(checked.error());
  return OptionValue(std::move(items));
}

Result<OptionValue> parse_map(const OptionDef& def, std::string_view text) {
  std::vector<std::pair<std::string, std::string>> entries;
  bool complete = true;
  split(text, ',', [&](std::string_view entry) {
    const auto equals = entry.find('=');
    complete = complete && equals != std::string_view::npos && equals > 0;
    if (complete) entries.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  });
  if (!complete) return wrong(def, text);
  return OptionValue(std::move(entries));
}

OptionValue nothing(OptionType type) {
  switch (type) {
    case OptionType::boolean: return false;
    case OptionType::integer: return std::int64_t{0};
    case OptionType::number: return 0.0;
    case OptionType::duration: return Duration::zero();
    case OptionType::size: return std::uint64_t{0};
    case OptionType::list: return std::vector<std::string>();
    case OptionType::map:
    case OptionType::secret_map: return std::vector<std::pair<std::string, std::string>>();
    case OptionType::text:
    case OptionType::secret:
    case OptionType::choice: break;
  }
  return std::string();
}

}  // namespace

std::vector<std::string_view> choices(std::string_view allowed) {
  std::vector<std::string_view> out;
  split(allowed, '|', [&](std::string_view choice) { out.push_back(choice); });
  return out;
}

std::string expectation(const OptionDef& def) {
  const std::string_view kind = kind_of_value(def.type);
  if (def.allowed.empty()) return fmt::format("expected {}", kind);
  if (def.type == OptionType::choice) {
    return fmt::format("expected one of {}", fmt::join(choices(def.allowed), ", "));
  }
  if (def.type == OptionType::list) {
    return fmt::format("expected a list of {}", fmt::join(choices(def.allowed), ", "));
  }
  return fmt::format("expected {} in {}", kind, def.allowed);
}

Result<> check_items(const OptionDef& def, const std::vector<std::string>& items) {
  if (def.check != nullptr) {
    for (const auto& item : items) {
      if (auto checked = def.check(item); !checked) return checked;
    }
  }
  if (def.allowed.empty()) return {};
  const auto allowed = choices(def.allowed);
  for (const auto& item : items) {
    if (std::ranges::find(allowed, item) != allowed.end()) continue;
    const std::string_view near = nearest(item, allowed);
    return wrong(def, item, near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
  return {};
}

Result<OptionValue> parse_option(const OptionDef& def, std::string_view text) {
  if (text.empty() && def.default_value.empty()) return nothing(def.type);
  if (def.check != nullptr && !text.empty() && def.type != OptionType::list) {
    if (auto checked = def.check(text); !checked) return tl::unexpected(checked.error());
  }
  switch (def.type) {
    case OptionType::boolean: return parse_quantity<bool>(def, text, parse_boolean);
    case OptionType::integer:
      return parse_quantity<std::int64_t>(def, text, parse_number<std::int64_t>);
    case OptionType::number: return parse_quantity<double>(def, text, parse_number<double>);
    case OptionType::duration: return parse_quantity<Duration>(def, text, parse_duration);
    case OptionType::size: return parse_quantity<std::uint64_t>(def, text, parse_size);
    case OptionType::choice: return parse_choice(def, text);
    case OptionType::list: return parse_list(def, text);
    case OptionType::map:
    case OptionType::secret_map: return parse_map(def, text);
    case OptionType::text:
    case OptionType::secret: break;
  }
  return OptionValue(std::string(text));
}

}  // namespace warpsight

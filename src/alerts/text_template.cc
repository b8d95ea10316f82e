#include "alerts/text_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "wire/json.h"
#include "wire/prometheus_name.h"

namespace warpsight::alerts {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";
constexpr std::string_view kHint =
    "write {{ value }}, {{ gpu.index }} or {{ k8s.pod.name or \"nobody\" }}";

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '/';
  });
}

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && text.starts_with('"') && text.ends_with('"') &&
         text.substr(1, text.size() - 2).find_first_of("\"\\") == std::string_view::npos;
}

// How a unit's numbers are told; the same in both languages.
struct Manner {
  enum class Form : uint8_t { plain, percent, binary };
  Form form = Form::plain;
  std::string_view suffix;
};

Manner manner_of(std::string_view unit) {
  using enum Manner::Form;
  if (unit == "1") return {percent, ""};
  if (unit == "%") return {plain, "%"};
  if (unit == "By") return {binary, "B"};
  if (unit == "By/s") return {binary, "B/s"};
  if (unit == "Cel") return {plain, " °C"};
  if (unit == "{token}/s") return {plain, " tokens/s"};
  if (unit == "{request}/s") return {plain, " requests/s"};
  if (unit.empty() || unit.starts_with('{')) return {plain, ""};
  static constexpr std::array<std::string_view, 4> kSpelt = {" s", " W", " J", " Hz"};
  for (const std::string_view spelt : kSpelt) {
    if (spelt.substr(1) == unit) return {plain, spelt};
  }
  return {plain, ""};
}

std::string four_digits(double value) { return fmt::format("{:.4g}", value); }

std::string binary_text(double value) {
  if (std::abs(value) <= 1 || !std::isfinite(value)) return four_digits(value);
  constexpr double kStep = 1024;
  std::string_view prefix;
  for (const std::string_view next : {"ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"}) {
    if (std::abs(value) < kStep) break;
    prefix = next;
    value /= kStep;
  }
  return four_digits(value) + std::string(prefix);
}

}  // namespace

Result<TextTemplate> TextTemplate::parse(std::string_view text) {
  TextTemplate out;
  const auto fails = [&](std::string_view what) {
    return fail(fmt::format("\"{}\": {}", text.substr(0, 60), what), std::string(kHint));
  };
  while (!text.empty()) {
    const size_t open = text.find(kOpen);
    const std::string_view plain = text.substr(0, open);
    if (plain.find(kClose) != std::string_view::npos) return fails("braces end that never began");
    if (!plain.empty()) out.parts_.push_back({{Kind::text, std::string(plain)}});
    if (open == std::string_view::npos) break;
    const size_t close = text.find(kClose, open);
    if (close == std::string_view::npos) return fails("braces are not closed");
    std::string_view inside = text.substr(open + kOpen.size(), close - open - kOpen.size());
    text.remove_prefix(close + kClose.size());
    std::vector<Choice>& part = out.parts_.emplace_back();
    for (bool more = true; more;) {
      constexpr std::string_view kOr = " or ";
      const size_t end = inside.find(kOr);
      const std::string_view choice = trim(inside.substr(0, end));
      more = end != std::string_view::npos;
      if (more) inside.remove_prefix(end + kOr.size());
      if (choice == "value") {
        part.push_back({Kind::value, {}});
      } else if (is_quoted(choice)) {
        part.push_back({Kind::text, std::string(choice.substr(1, choice.size() - 2))});
      } else if (is_key(choice)) {
        part.push_back({Kind::attribute, std::string(choice)});
      } else {
        return fails("what is between braces is no attribute");
      }
    }
  }
  return out;
}

std::string TextTemplate::render(std::span<const Attribute> attributes,
                                 std::string_view value) const {
  std::string out;
  for (const std::vector<Choice>& part : parts_) {
    for (const Choice& choice : part) {
      std::string_view said = choice.kind == Kind::value ? value : std::string_view(choice.text);
      if (choice.kind == Kind::attribute) {
        const auto found = std::ranges::find(attributes, choice.text, &Attribute::key);
        said = found == attributes.end() ? std::string_view{} : std::string_view(found->value);
      }
      out += said;
      if (!said.empty()) break;
    }
  }
  return out;
}

std::string TextTemplate::for_prometheus(std::string_view value) const {
  std::string out;
  for (const std::vector<Choice>& part : parts_) {
    if (part.size() == 1 && part.front().kind == Kind::text) {
      out += part.front().text;
      continue;
    }
    out += kOpen;
    if (part.size() > 1) out += " or";
    for (const Choice& choice : part) {
      out += ' ';
      switch (choice.kind) {
        case Kind::text: append_json_string(out, choice.text); break;
        case Kind::attribute: out += "$labels." + prometheus_label(choice.text); break;
        case Kind::value:
          out += part.size() > 1 ? fmt::format("({})", value) : std::string(value);
          break;
      }
    }
    out.append(" ").append(kClose);
  }
  return out;
}

std::string value_text(double value, std::string_view unit) {
  const Manner manner = manner_of(unit);
  switch (manner.form) {
    case Manner::Form::percent: return four_digits(100 * value) + "%";
    case Manner::Form::binary: return binary_text(value) + std::string(manner.suffix);
    case Manner::Form::plain: break;
  }
  return four_digits(value) + std::string(manner.suffix);
}

std::string prometheus_value_text(std::string_view unit) {
  const Manner manner = manner_of(unit);
  switch (manner.form) {
    case Manner::Form::percent: return "$value | humanizePercentage";
    case Manner::Form::binary:
      return fmt::format("$value | humanize1024 | printf \"%s{}\"", manner.suffix);
    case Manner::Form::plain: break;
  }
  const std::string_view percent = manner.suffix == "%" ? "%%" : manner.suffix;
  return fmt::format("$value | printf \"%.4g{}\"", percent);
}

}  // namespace warpsight::alerts

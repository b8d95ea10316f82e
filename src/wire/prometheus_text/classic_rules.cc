#include "wire/prometheus_text/classic_rules.h"

#include <array>

#include "wire/prometheus_text/line.h"
#include "wire/prometheus_text/number.h"
#include "wire/prometheus_text/scan.h"

namespace warpsight::prometheus_text {
namespace {

bool is_histogram(FamilyType type) {
  return type == FamilyType::histogram || type == FamilyType::gauge_histogram;
}

// The types of OpenMetrics that classic text lacks: what has no type there is `untyped`.
bool is_classic_type(const Metadata& metadata) {
  switch (metadata.type) {
    case FamilyType::info:
    case FamilyType::state_set: return false;
    case FamilyType::unknown: return metadata.text.find_first_of("kK") == std::string_view::npos;
    default: return true;
  }
}

}  // namespace

// A name that ends as the parts of a summary or histogram do belongs to that family.
ClassicRules::Family& ClassicRules::family_of(const std::string& name) {
  if (const auto own = families_.find(name); own != families_.end()) return own->second;
  for (const std::string_view suffix : {"_count", "_sum", "_bucket"}) {
    if (!name.ends_with(suffix)) continue;
    const auto whole = families_.find(name.substr(0, name.size() - suffix.size()));
    if (whole == families_.end()) continue;
    const FamilyType type = whole->second.type;
    const bool part = is_histogram(type) || (type == FamilyType::summary && suffix != "_bucket");
    if (part) return whole->second;
  }
  return families_[name];
}

Reason ClassicRules::metadata(std::string_view line) {
  Metadata metadata;
  const Problem problem = read_metadata(line, metadata);
  // UNIT is a word like any other in the comments of classic text.
  if (metadata.kind == Metadata::Kind::unit) return {};
  if (problem != Problem::none) return describe(problem);
  if (metadata.kind != Metadata::Kind::help && metadata.kind != Metadata::Kind::type) return {};
  if (metadata.text.empty()) return {};
  if (metadata.quoted_family && !has_known_escapes(metadata.family)) return "an unknown escape";
  Family& family = family_of(unescaped(metadata.family));
  if (metadata.kind == Metadata::Kind::help) {
    if (family.helped) return "a second HELP";
    family.helped = true;
    return has_known_escapes(metadata.text) ? Reason{} : "an unknown escape";
  }
  if (family.typed) return "a second TYPE, or one after samples";
  const bool trailing = metadata.text.data() + metadata.text.size() != line.data() + line.size();
  if (trailing || !is_classic_type(metadata)) return "not a type of metric in classic text";
  family.type = metadata.type;
  family.typed = true;
  return {};
}

Reason ClassicRules::sample(std::string_view line) {
  StrictSample sample;
  if (const Reason reason = read_strict_sample(line, TextFormat::classic, sample);
      !reason.empty()) {
    return reason;
  }
  Family& family = family_of(sample.name);
  family.typed = true;
  const bool histogram = is_histogram(family.type);
  if (!histogram && family.type != FamilyType::summary) return {};
  const std::string* bound = sample.label(histogram ? "le" : "quantile");
  if (bound != nullptr && !is_strict_number(*bound)) {
    return histogram ? "an le that is not a number" : "a quantile that is not a number";
  }
  const bool count = bound != nullptr || sample.name.ends_with("_count");
  if (histogram && count && sample.view.reading.value < 0) return "a negative count";
  return {};
}

std::optional<Violation> ClassicRules::line(std::string_view line, uint64_t number) {
  const char* at = line.data();
  const char* end = at + line.size();
  at = skip_blanks(at, end);
  blank_ = at == end;
  if (blank_) return std::nullopt;
  const Reason reason = *at == '#' ? metadata({at, static_cast<size_t>(end - at)}) : sample(line);
  if (reason.empty()) return std::nullopt;
  return Violation{number, reason};
}

std::optional<Violation> ClassicRules::finish(uint64_t number, bool newline) {
  if (newline || blank_) return std::nullopt;
  return Violation{number, "the last line has no newline"};
}

}  // namespace warpsight::prometheus_text

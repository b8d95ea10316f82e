// A page's series under their upstream names, by what its TYPE lines say of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.h"
#include "sources/engines/pages/bindings.h"
#include "wire/prometheus_text/sample.h"

namespace warpsight::engines {

struct RawMeaning {
  Metric metric{};
  MetricKind kind = MetricKind::gauge;
  Part part = Part::value;
};

class RawNames {
 public:
  // That one page may add to the catalogue.
  static constexpr size_t kMaxNames = 2000;

  // Patterns of names, with '*'. No `allow`: all.
  RawNames(std::vector<std::string> allow, std::vector<std::string> deny)
      : allow_(std::move(allow)), deny_(std::move(deny)) {}

  // As the page goes: a TYPE line, and a series that is met for the first time.
  void type(const prometheus_text::Metadata& metadata) { type_line_ = metadata; }
  void meet(SeriesId id, std::string_view name);
  // Behind the last line: the text of the TYPE lines is no more.
  void end_page() { type_line_ = {}; }

  // Families that meaning() knows of; a moment of creation is told by them from a plain gauge.
  void clear();
  void learn(SeriesId id, std::string_view name);

  // nullopt: not wanted, or not to be declared (see refused()).
  std::optional<RawMeaning> meaning(SeriesId id, std::string_view name);

  // Series since clear() whose metric could not be declared.
  uint64_t refused() const { return refused_; }

 private:
  struct Facts {
    prometheus_text::FamilyType type = prometheus_text::FamilyType::unknown;
    uint32_t family = 0;  // that many bytes of the name are the family's
  };

  bool wanted(std::string_view name, std::string_view family) const;
  std::optional<RawMeaning> declare(std::string_view name, MetricKind kind, Part part);

  std::vector<std::string> allow_;
  std::vector<std::string> deny_;
  prometheus_text::Metadata type_line_;
  std::vector<Facts> facts_;                                                    // by series
  std::map<std::string, prometheus_text::FamilyType, std::less<>> cumulative_;  // by base name
  std::set<std::string, std::less<>> declared_;  // kept by clear(): a row lasts
  uint64_t refused_ = 0;
};

// Whether `pattern`, in which '*' stands for any text, is the whole of `text`.
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace warpsight::engines

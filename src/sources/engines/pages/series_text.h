// What the text of a series says: its name and its labels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/prometheus_text/labels.h"

namespace warpsight::engines {

// Views live until the next read().
class SeriesText {
 public:
  SeriesText() = default;
  SeriesText(const SeriesText&) = delete;
  SeriesText& operator=(const SeriesText&) = delete;

  // `series` as an index of series keeps it.
  void read(std::string_view series);

  std::string_view name() const { return name_; }

  // In the order of their names, escapes undone. One without a value is as good as absent.
  std::span<const prometheus_text::LabelView> labels() const { return labels_; }

  // Empty when there is none.
  std::string_view value_of(std::string_view label) const;

  // The same for series with the same labels, that of `except` aside.
  uint64_t identity(std::string_view except) const;

 private:
  std::string_view undo_escapes(std::string_view part);

  std::string text_;
  std::string scratch_;
  std::string_view name_;
  std::vector<prometheus_text::LabelView> labels_;
};

}  // namespace warpsight::engines

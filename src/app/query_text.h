// Answers of the history for people and for spreadsheets.
#pragma once

#include <string>
#include <vector>

#include "history/query.h"

namespace warpsight {

enum class TextForm : uint8_t {
  table,  // columns aligned by blanks
  csv,    // RFC 4180
};

// A line a step and a column a series. Columns are headed by the attributes that tell them apart; a
// table says above it what all have in common, and leaves out steps in which nothing was published.
std::string series_text(const SeriesAnswer& answer, TextForm form);

// Newest first, as the answer is.
std::string events_text(const EventAnswer& answer, TextForm form);

// One line a series: metric, attributes, since when and until when.
std::string known_text(const std::vector<KnownSeries>& known, TextForm form);

}  // namespace warpsight

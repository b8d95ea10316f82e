// Titles of columns, with a mark on the one that the rows are sorted by.
#pragma once

#include <string>
#include <string_view>

#include "top/rows.h"

namespace warpsight::top {

// Numbers fall from row to row unless reversed, texts rise.
std::string number_title(std::string_view title, SortBy by, Order order);
std::string text_title(std::string_view title, SortBy by, Order order);

}  // namespace warpsight::top

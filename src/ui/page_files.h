// The files of the page, as the program brings them along.
#pragma once

#include <string_view>
#include <vector>

#include "ui/http_server.h"

namespace warpsight {

// Open to everybody: there is no data in them. "/" goes by "/index.html" too.
std::vector<HttpRoute> page_routes();

// Whether an If-None-Match header names the tag, which is in quotes.
bool names_tag(std::string_view if_none_match, std::string_view tag);

}  // namespace warpsight

// The files of the page, as they were built into the program.
#pragma once

#include <span>
#include <string_view>

namespace warpsight {

struct Asset {
  std::string_view path;  // "/app.js"
  std::string_view content_type;
  std::string_view gzip;  // its bytes, packed
};

// "/" comes first.
std::span<const Asset> page_assets();

}  // namespace warpsight

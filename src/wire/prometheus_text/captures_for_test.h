// Pages of real systems, where this machine has them: in the folder that WARPSIGHT_CAPTURES names,
// or beside the source tree. They are not part of the source.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/places.h"

namespace warpsight::prometheus_text::testing {

// Empty where there are none.
inline std::filesystem::path captures_folder() {
  const char* named = std::getenv("WARPSIGHT_CAPTURES");
  const std::filesystem::path folder =
      named != nullptr ? std::filesystem::path(named)
                       : std::filesystem::path(WARPSIGHT_SOURCE_DIR) / "../shared/captures";
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A page that the captures' index counted the samples of.
struct CountedPage {
  std::filesystem::path path;
  size_t samples;
  bool eof;  // it ends as OpenMetrics does
};

// The index has a heading `### owner/name` for the folder `owner+name` and below it rows such as
// "| `file` | ... | 120 samples; types counter:8 |".
inline std::vector<CountedPage> counted_pages(const std::filesystem::path& folder) {
  std::vector<CountedPage> pages;
  std::filesystem::path section;
  std::ifstream index(folder / "INDEX.md");
  for (std::string line; std::getline(index, line);) {
    if (line.starts_with("### ")) {
      std::string name = line.substr(4, line.find(' ', 4) - 4);
      std::replace(name.begin(), name.end(), '/', '+');
      section = folder / name;
    }
    const size_t count = line.find(" samples;");
    if (!line.starts_with("| `") || count == std::string::npos) continue;
    const size_t digits = line.rfind(' ', count - 1) + 1;
    pages.push_back({section / line.substr(3, line.find('`', 3) - 3),
                     std::stoul(line.substr(digits, count - digits)),
                     line.find("# EOF") != std::string::npos});
  }
  return pages;
}

// Every file below the folder, in one order.
inline std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace warpsight::prometheus_text::testing

// The text of Slurm's configuration files: lines of Key=Value pairs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace warpsight::slurm {

// One line, continued lines joined. Keys are in lower case.
struct ConfLine {
  std::vector<std::pair<std::string, std::string>> fields;

  // nullptr when there is none; `key` in lower case.
  const std::string* find(std::string_view key) const;

  friend bool operator==(const ConfLine&, const ConfLine&) = default;
};

// Comments, continuation (`\` at a line's end), quotes and `Include FILE` are understood;
// `include` gives the text of such a file, or nothing. Words that are no pair are left out. Fails
// on a text that is endless by inclusion.
Result<std::vector<ConfLine>> parse_conf(
    std::string_view text, const std::function<std::string(std::string_view)>& include);

// The file at `path` below `root`; includes are looked for beside it.
Result<std::vector<ConfLine>> read_conf(std::string_view root, const std::string& path);

}  // namespace warpsight::slurm

// Slurm's lists of names: "cw-h100-[001-004,220]-x[1-3],login1".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace warpsight::slurm {

// The place of `name`, counted from 0 in the order in which Slurm expands the list: the last
// bracket first. Nothing when it is not there or the list is malformed. Nothing is expanded, so a
// list may stand for any number of names.
std::optional<uint64_t> position_in_hostlist(std::string_view list, std::string_view name);

// All names in that order. Fails on a malformed list and on one of more than `limit` names.
Result<std::vector<std::string>> expand_hostlist(std::string_view list, size_t limit);

}  // namespace warpsight::slurm

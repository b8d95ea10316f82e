// The files of the history in its directory: who may write them, and what becomes of damaged ones.
#pragma once

#include <cstdint>
#include <string>

#include "core/clock.h"
#include "core/result.h"
#include "platform/fd.h"

namespace warpsight {

inline constexpr size_t kKeptDamaged = 2;

std::string database_path(const std::string& directory);

// Makes the directory and an empty file that only its owner may read. The lock is held as long as
// the descriptor lives; fails when another agent has it.
Result<Fd> claim(const std::string& directory);

// Renames the database and the files beside it, and removes all such but the newest kKeptDamaged.
// Where the database went.
Result<std::string> set_database_aside(const std::string& directory, Time now);

// Of the database and the files beside it.
uint64_t bytes_on_disk(const std::string& directory);

}  // namespace warpsight

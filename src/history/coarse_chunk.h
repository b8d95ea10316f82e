// What is kept of one series for weeks: least, mean, greatest and last value of every five minutes,
// and what a counter gained.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history/fold.h"

namespace warpsight {

inline constexpr size_t kMaxBins = 1024;  // of one chunk

// Appends the bins; one without samples is absent. False when all are.
bool encode_coarse(std::span<const StepSum> bins, MetricKind kind, std::string& out);

// Replaces `out`. False when the bytes are no such chunk of at most `bins`; `out` is empty then.
bool decode_coarse(std::string_view bytes, size_t bins, std::vector<StepSum>& out);

}  // namespace warpsight

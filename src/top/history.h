// The last minutes of every GPU of a node, as far as they were seen.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "top/node.h"

namespace warpsight::top {

inline constexpr double kHistorySeconds = 600;

enum class Measure : uint8_t { utilization, memory, power, temperature };
inline constexpr size_t kMeasures = 4;

// By measure; NaN is absent. Memory is the share in use.
using Measured = std::array<float, kMeasures>;

struct Sample {
  double time = 0;  // Unix seconds
  Measured values{};
};

Measured measure(const Gpu& gpu);

// Samples by GPU, oldest first.
using Past = std::map<std::string, std::vector<Sample>, std::less<>>;

// Of an answer of /api/v1/series. Series of things that `node` does not have are left out; empty
// when the text cannot be read.
Past parse_past(std::string_view json, const Node& node);

class History {
 public:
  // Nothing happens when its time was seen before.
  void add(const Node& node);
  // What was before all that add() told.
  void add_before(const Past& past);

  // `count` values over the time until `end`, oldest first; NaN where nothing was published. A
  // sample counts for `hold` seconds unless a younger one comes.
  std::vector<float> line(std::string_view gpu, Measure measure, double end, size_t count,
                          double hold) const;

 private:
  void trim(double now);

  std::map<std::string, std::deque<Sample>, std::less<>> samples_;
  double newest_ = 0;
};

}  // namespace warpsight::top

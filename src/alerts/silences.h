// Alerts that somebody does not want to hear of for a while. They go on being evaluated and shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/alert.h"
#include "core/clock.h"
#include "core/matcher.h"
#include "core/result.h"

namespace warpsight::alerts {

struct Silence {
  std::string id;
  std::vector<Matcher> matchers;  // "alert.name=GpuHot", attributes of the alert; one at least
  Time created{};
  Time until{};
  std::string comment = {};
};

inline constexpr size_t kMaxSilences = 200;
inline constexpr Duration kLongestSilence = std::chrono::hours{24} * 30;

class Silences {
 public:
  // Fails without matchers, for a time that has passed or is too far, or when there are too many.
  Result<Silence> add(std::vector<Matcher> matchers, Time until, std::string comment, Time now);
  // False when there is none of that id.
  bool remove(std::string_view id);
  void restore(Silence silence);

  // Those whose time has not passed.
  std::vector<Silence> active(Time now) const;
  bool covers(const Alert& alert, Time now) const;
  // Changes with every add and remove.
  uint64_t version() const { return version_; }

 private:
  std::vector<Silence> silences_;
  uint64_t version_ = 0;
  uint64_t last_number_ = 0;  // of the ids given so far
};

}  // namespace warpsight::alerts

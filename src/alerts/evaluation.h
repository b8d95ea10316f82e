// One rule over the samples: which of its things the conditions hold for, now.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "alerts/rule.h"
#include "alerts/samples.h"

namespace warpsight::alerts {

// Ordered: of several, the highest counts.
enum class Verdict : uint8_t {
  unknown,  // the series is not there, or what it is compared with is not
  fails,
  holds,
};

// One alert there could be.
struct Group {
  uint64_t id = 0;  // of the rule and the attributes: the same over restarts
  Verdict verdict = Verdict::unknown;
  double value = 0;      // of the first term; when it holds
  uint32_t member = 0;   // the series it is taken from, as Evaluation::track() wants it
  bool refused = false;  // the caller's: it holds, but there is no room for it
};

// What it prepares once is prepared anew only when series come or go: steady runs allocate nothing.
class Evaluation {
 public:
  // Both must stay. The rule's metrics must be required of `samples`, and it must be made anew
  // after a require().
  Evaluation(const Rule& rule, const Samples& samples);

  // Stays until the next run.
  std::span<Group> run();

  const Track& track(const Group& group) const;
  // What tells the group's alert from others of the rule.
  std::vector<Attribute> attributes(const Group& group) const;

 private:
  // A term and the series that match it.
  struct Lens {
    const Term* term;
    const Feed* feed;
    uint64_t version = 0;                // of the feed, when `members` was made
    std::vector<uint32_t> members = {};  // places in feed->tracks
    std::vector<double> values = {};     // one for each
  };
  struct Part {
    const Condition* condition;
    Lens term;
    std::optional<Lens> other = {};
    std::vector<uint32_t> partner = {};  // of each member of term, its place in other's members
    std::vector<uint32_t> join = {};     // of each member of term, what it has in common by `on`
    std::vector<Verdict> joined = {};    // by join; not of the first part
  };

  Lens lens_of(const Term& term) const;
  bool outdated() const;
  void prepare();
  void match(Lens& lens);
  void pair(Part& part);
  void group();
  void look(Lens& lens) const;
  Verdict judge(const Part& part, size_t member) const;
  uint32_t join_of(const Track& track);
  void count(Group& group, uint32_t member, Verdict verdict);

  const Rule& rule_;
  const Samples& samples_;
  std::vector<Part> parts_;
  std::unordered_map<uint64_t, uint32_t> joins_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;  // of each member of the first part
};

}  // namespace warpsight::alerts

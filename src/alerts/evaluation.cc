#include "alerts/evaluation.h"

#include <algorithm>
#include <cmath>

#include "alerts/fingerprint.h"

namespace warpsight::alerts {
namespace {

constexpr uint32_t kNobody = UINT32_MAX;

bool holds(Comparison comparison, double value, double against) {
  switch (comparison) {
    case Comparison::above: return value > against;
    case Comparison::below: return value < against;
    case Comparison::equal: return value == against;
  }
  return false;
}

// All must hold; what is known to fail decides.
Verdict both(Verdict a, Verdict b) {
  if (a == Verdict::fails || b == Verdict::fails) return Verdict::fails;
  return std::min(a, b);
}

}  // namespace

Evaluation::Evaluation(const Rule& rule, const Samples& samples) : rule_(rule), samples_(samples) {
  for (const Condition& condition : rule.conditions) {
    Part& part = parts_.emplace_back(Part{&condition, lens_of(condition.term)});
    if (condition.other) part.other = lens_of(*condition.other);
  }
}

Evaluation::Lens Evaluation::lens_of(const Term& term) const {
  return {&term, &samples_.feed(term.metric)};
}

bool Evaluation::outdated() const {
  return std::ranges::any_of(parts_, [](const Part& part) {
    return part.term.version != part.term.feed->version ||
           (part.other && part.other->version != part.other->feed->version);
  });
}

void Evaluation::match(Lens& lens) {
  lens.version = lens.feed->version;
  lens.members.clear();
  for (uint32_t i = 0; i < lens.feed->tracks.size(); ++i) {
    if (matches(lens.term->matchers, lens.feed->tracks[i].attributes)) lens.members.push_back(i);
  }
  lens.values.assign(lens.members.size(), 0);
}

uint32_t Evaluation::join_of(const Track& track) {
  const uint64_t key =
      rule_.on.empty() ? track.key : fingerprint(chosen(track.attributes, rule_.on));
  return joins_.emplace(key, static_cast<uint32_t>(joins_.size())).first->second;
}

void Evaluation::pair(Part& part) {
  part.partner.clear();
  if (!part.other) return;
  std::unordered_map<uint64_t, uint32_t> places;
  for (uint32_t i = 0; i < part.other->members.size(); ++i) {
    places.emplace(part.other->feed->tracks[part.other->members[i]].key, i);
  }
  for (const uint32_t member : part.term.members) {
    const auto found = places.find(part.term.feed->tracks[member].key);
    part.partner.push_back(found == places.end() ? kNobody : found->second);
  }
}

void Evaluation::group() {
  std::unordered_map<uint64_t, Group> before;
  for (const Group& g : groups_) before.emplace(g.id, g);
  groups_.clear();
  group_of_.clear();
  std::unordered_map<uint64_t, uint32_t> places;
  for (uint32_t i = 0; i < parts_.front().term.members.size(); ++i) {
    Group fresh;
    fresh.member = i;
    const auto own = attributes(fresh);
    Fingerprint print;
    print.add(rule_.name);
    for (const Attribute& a : own) print.add(a.key).add(a.value);
    fresh.id = print.value();
    const auto [place, is_new] = places.emplace(fresh.id, static_cast<uint32_t>(groups_.size()));
    if (is_new) {
      const auto known = before.find(fresh.id);
      fresh.refused = known != before.end() && known->second.refused;
      groups_.push_back(fresh);
    }
    group_of_.push_back(place->second);
  }
}

void Evaluation::prepare() {
  joins_.clear();
  for (Part& part : parts_) {
    match(part.term);
    if (part.other) match(*part.other);
    pair(part);
    part.join.clear();
    for (const uint32_t member : part.term.members) {
      part.join.push_back(join_of(part.term.feed->tracks[member]));
    }
  }
  group();
}

const Track& Evaluation::track(const Group& group) const {
  const Lens& first = parts_.front().term;
  return first.feed->tracks[first.members[group.member]];
}

std::vector<Attribute> Evaluation::attributes(const Group& group) const {
  const Track& from = track(group);
  return rule_.by.empty() ? from.attributes : chosen(from.attributes, rule_.by);
}

void Evaluation::look(Lens& lens) const {
  const Samples::Span span = samples_.span_of(*lens.term);
  for (size_t i = 0; i < lens.members.size(); ++i) {
    lens.values[i] =
        samples_.value(*lens.feed, lens.feed->tracks[lens.members[i]], *lens.term, span);
  }
}

Verdict Evaluation::judge(const Part& part, size_t member) const {
  const double value = part.term.values[member];
  double against = part.condition->threshold;
  if (part.other) {
    const uint32_t partner = part.partner[member];
    if (partner == kNobody) return Verdict::unknown;
    against = part.condition->factor * part.other->values[partner];
  }
  if (!samples_.is_there(part.term.feed->tracks[part.term.members[member]]) || std::isnan(value) ||
      std::isnan(against)) {
    return Verdict::unknown;
  }
  return holds(part.condition->comparison, value, against) ? Verdict::holds : Verdict::fails;
}

void Evaluation::count(Group& group, uint32_t member, Verdict verdict) {
  const double value = parts_.front().term.values[member];
  const bool lower = parts_.front().condition->comparison == Comparison::below;
  const bool better =
      verdict > group.verdict || (verdict == Verdict::holds && verdict == group.verdict &&
                                  (lower ? value < group.value : value > group.value));
  if (!better) return;
  group.verdict = verdict;
  group.member = member;
  group.value = value;
}

std::span<Group> Evaluation::run() {
  if (outdated()) prepare();
  for (Part& part : parts_) {
    look(part.term);
    if (part.other) look(*part.other);
    if (&part == parts_.data()) continue;
    part.joined.assign(joins_.size(), Verdict::unknown);
    for (size_t i = 0; i < part.term.members.size(); ++i) {
      Verdict& joined = part.joined[part.join[i]];
      joined = std::max(joined, judge(part, i));
    }
  }
  for (Group& g : groups_) g.verdict = Verdict::unknown;
  const Part& first = parts_.front();
  for (uint32_t i = 0; i < first.term.members.size(); ++i) {
    Verdict verdict = judge(first, i);
    for (size_t p = 1; p < parts_.size(); ++p) {
      verdict = both(verdict, parts_[p].joined[first.join[i]]);
    }
    count(groups_[group_of_[i]], i, verdict);
  }
  return groups_;
}

}  // namespace warpsight::alerts

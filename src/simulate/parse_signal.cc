#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "simulate/parse.h"

namespace warpsight::simulate {
namespace {

constexpr std::array<std::string_view, 8> kKeys = {"wave",   "steps", "repeat", "every",
                                                   "values", "sum",   "load",   "base"};
constexpr std::array<std::string_view, 4> kWaveKeys = {"min", "max", "period", "phase"};
constexpr std::size_t kMaxSummands = 8;

class SignalParser {
 public:
  SignalParser(Reader& reader, const SignalRule& rule, std::size_t& points)
      : reader_(reader), rule_(rule), points_(points) {}

  Signal parse(const YamlNode& node, bool nested) {
    if (node.kind == YamlNode::Kind::scalar) {
      double value = 0;
      reader_.number(node, value, rule_.lowest, rule_.highest);
      return Signal(value);
    }
    const MapView map(reader_, node, kKeys);
    Signal signal;
    if (const YamlNode* wave = map.find("wave")) {
      only(map, {"wave"});
      signal.add(parse_wave(*wave));
    } else if (const YamlNode* steps = map.find("steps")) {
      only(map, {"steps", "repeat"});
      parse_steps(map, *steps, signal);
    } else if (const YamlNode* values = map.find("values")) {
      only(map, {"values", "every", "repeat"});
      parse_values(map, *values, signal);
    } else if (const YamlNode* sum = map.find("sum")) {
      only(map, {"sum"});
      if (nested) reader_.fail(node, "a sum cannot stand inside a sum");
      parse_sum(*sum, signal);
    } else if (map.has("load")) {
      only(map, {"load", "base"});
      parse_of_load(map, signal);
    } else {
      reader_.fail(node, "a signal needs one of wave, steps, values, sum or load",
                   "or write a plain number for a constant");
    }
    return signal;
  }

 private:
  void only(const MapView& map, std::initializer_list<std::string_view> allowed) {
    for (const std::string_view key : kKeys) {
      if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
      if (const YamlNode* extra = map.find(key)) {
        reader_.fail(*extra, fmt::format("'{}' does not go with '{}'", key, *allowed.begin()));
      }
    }
  }

  Term parse_wave(const YamlNode& node) {
    const MapView map(reader_, node, kWaveKeys);
    double min = 0;
    double max = 1;
    double period = 60;
    double phase = 0;
    map.number("min", min, rule_.lowest, rule_.highest);
    map.number("max", max, rule_.lowest, rule_.highest);
    map.seconds("period", period, 0.1, kMaxSeconds);
    map.number("phase", phase, -1e3, 1e3);
    return Term::wave(min, max, period, phase);
  }

  bool take_points(const YamlNode& node) {
    if (!reader_.sequence(node, kMaxTimelinePoints)) return false;
    points_ += node.children.size();
    if (node.children.empty()) reader_.fail(node, "the timeline is empty");
    if (points_ > kMaxTimelinePoints) {
      reader_.fail(
          node, fmt::format("the scenario has more than {} timeline points", kMaxTimelinePoints));
    }
    return !reader_.failed();
  }

  void parse_steps(const MapView& map, const YamlNode& list, Signal& signal) {
    if (!take_points(list)) return;
    double repeat = 0;
    map.seconds("repeat", repeat, 0.001, kMaxSeconds);
    std::vector<Term::Step> steps;
    steps.reserve(list.children.size());
    for (std::size_t i = 0; i < list.children.size() && !reader_.failed(); ++i) {
      const YamlNode& pair = reader_.child(list, i);
      if (!reader_.sequence(pair, 2) || pair.children.size() != 2) {
        reader_.fail(pair, "a step is [time, value]");
        return;
      }
      Term::Step step{};
      reader_.seconds(reader_.child(pair, 0), step.at, 0, kMaxSeconds);
      reader_.number(reader_.child(pair, 1), step.value, rule_.lowest, rule_.highest);
      if (!steps.empty() && step.at <= steps.back().at) {
        reader_.fail(pair, "steps must ascend in time");
      }
      steps.push_back(step);
    }
    if (reader_.failed()) return;
    if (repeat > 0 && (steps.front().at != 0 || steps.back().at >= repeat)) {
      reader_.fail(list, "a repeating timeline begins at 0 and ends before its repeat");
    }
    if (!reader_.failed()) signal.add(Term::steps(std::move(steps), repeat));
  }

  void parse_values(const MapView& map, const YamlNode& list, Signal& signal) {
    if (!take_points(list)) return;
    double every = 1;
    bool repeat = false;
    map.seconds("every", every, 0.001, kMaxSeconds);
    map.boolean("repeat", repeat);
    std::vector<Term::Step> steps(list.children.size());
    for (std::size_t i = 0; i < steps.size() && !reader_.failed(); ++i) {
      steps[i].at = every * static_cast<double>(i);
      reader_.number(reader_.child(list, i), steps[i].value, rule_.lowest, rule_.highest);
    }
    if (reader_.failed()) return;
    const double length = every * static_cast<double>(steps.size());
    signal.add(Term::steps(std::move(steps), repeat ? length : 0));
  }

  void parse_sum(const YamlNode& list, Signal& signal) {
    if (!reader_.sequence(list, kMaxSummands)) return;
    for (std::size_t i = 0; i < list.children.size() && !reader_.failed(); ++i) {
      signal.add(parse(reader_.child(list, i), true), 1);
    }
    if (signal.lowest() < rule_.lowest || signal.highest() > rule_.highest) {
      reader_.fail(list, fmt::format("the sum can leave {} to {}", rule_.lowest, rule_.highest));
    }
  }

  void parse_of_load(const MapView& map, Signal& signal) {
    double factor = 0;
    double base = 0;
    map.number("load", factor, -1e15, 1e15);
    map.number("base", base, -1e15, 1e15);
    if (rule_.load == nullptr) {
      reader_.fail(map.node(), "'load' does not go here");
      return;
    }
    signal.add(Term::constant(base));
    signal.add(*rule_.load, factor);
  }

  Reader& reader_;
  const SignalRule& rule_;
  std::size_t& points_;
};

}  // namespace

Signal parse_signal(Reader& reader, const YamlNode& node, const SignalRule& rule,
                    std::size_t& points) {
  return SignalParser(reader, rule, points).parse(node, false);
}

}  // namespace warpsight::simulate

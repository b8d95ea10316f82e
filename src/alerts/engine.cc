#include "alerts/engine.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "alerts/evaluation.h"
#include "alerts/live_alert.h"
#include "alerts/samples.h"
#include "alerts/state_file.h"
#include "alerts/text_template.h"
#include "core/catalogue.h"
#include "wire/number.h"

namespace warpsight::alerts {
namespace {

using namespace std::chrono_literals;

// After a restart, how long an alert waits for its series.
constexpr Duration kGrace = 2min;
// How old the file's word of what holds may get.
constexpr Duration kSaveEvery = 1min;

TextTemplate template_of(std::string_view text) {
  auto parsed = TextTemplate::parse(text);
  return parsed ? std::move(*parsed) : TextTemplate{};
}

struct Annotation {
  std::string key;
  TextTemplate text;
};

// A rule made ready, and how many alerts it has.
struct ActiveRule {
  ActiveRule(const Rule& said, const Samples& samples)
      : rule(said),
        evaluation(said, samples),
        summary(template_of(said.summary)),
        description(template_of(said.description)) {
    for (const Attribute& a : said.annotations) {
      annotations.push_back({a.key, template_of(a.value)});
    }
  }

  const Rule& rule;
  Evaluation evaluation;
  TextTemplate summary;
  TextTemplate description;
  std::vector<Annotation> annotations;
};

// The series of warpsight.alerts of one rule: from its first alert on.
struct Tally {
  std::string rule;
  Severity severity;
  std::array<EntityId, 2> entities;  // pending, firing
  std::array<int, 2> counts{};
};

int rank(AlertState state) {
  switch (state) {
    case AlertState::firing: return 0;
    case AlertState::pending: return 1;
    case AlertState::resolved: return 2;
  }
  return 2;
}

Time latest(const Alert& alert) { return std::max({alert.since, alert.fired, alert.resolved}); }

bool listed_before(const LiveAlert* a, const LiveAlert* b) {
  const auto key = [](const LiveAlert& live) {
    return std::tuple(rank(live.alert.state), -latest(live.alert).time_since_epoch().count(),
                      live.key);
  };
  return key(*a) < key(*b);
}

}  // namespace

struct Engine::Impl {
  Impl(EntityTable& table, std::vector<Rule> said, EngineSettings chosen_settings,
       const Clock& own_clock)
      : entities(table), settings(std::move(chosen_settings)), clock(own_clock) {
    set_rules(std::move(said));
    restore();
    list();
  }

  void set_rules(std::vector<Rule> said);
  void restore();
  void forget_long_away();
  void run(const View& view, Batch& out);
  void evaluate(ActiveRule& rule);
  void raise(ActiveRule& rule, Group& group);
  LiveAlert* begin(const ActiveRule& rule, const Group& group);
  bool make_room();
  void say_texts(const ActiveRule& rule, LiveAlert& live) const;
  bool has_ended(LiveAlert& live) const;
  void settle(Batch& out);
  void tell(const LiveAlert& live, std::string_view event, Severity severity, Batch& out) const;
  void tally(Batch& out);
  Tally& tally_of(const Alert& alert);
  void list();
  std::optional<std::string> unsaved(bool at_once);

  EntityTable& entities;
  EngineSettings settings;
  const Clock& clock;
  std::vector<Rule> rules;
  Samples samples;
  std::vector<std::unique_ptr<ActiveRule>> active;
  std::unordered_map<std::string_view, const ActiveRule*> by_name;
  std::unordered_map<uint64_t, LiveAlert> lives;
  Silences silences;
  std::vector<Tally> tallies;
  std::vector<EntityId> ended;  // series of rules that are no more
  std::vector<LiveAlert*> order;
  std::vector<Alert> listed;
  Time now{};
  Time started{};  // the first run
  Time full_at{};  // when there was no room, and nobody to make some
  Time saved_at{};
  uint64_t saved_silences = 0;
  bool changed = false;
  uint64_t refused = 0;
};

void Engine::Impl::set_rules(std::vector<Rule> said) {
  active.clear();
  by_name.clear();
  rules = std::move(said);
  samples.require(rules);
  for (const Rule& rule : rules) {
    if (!rule.enabled || rule.conditions.empty()) continue;
    active.push_back(std::make_unique<ActiveRule>(rule, samples));
    by_name.emplace(rule.name, active.back().get());
  }
  for (auto& [key, live] : lives) live.outdated = true;
  std::erase_if(tallies, [&](const Tally& tally) {
    const auto found = by_name.find(tally.rule);
    const bool stays = found != by_name.end() && found->second->rule.severity == tally.severity;
    if (!stays) ended.insert(ended.end(), tally.entities.begin(), tally.entities.end());
    return !stays;
  });
}

void Engine::Impl::restore() {
  if (settings.state_file.empty()) return;
  SavedState state = read_state(settings.state_file);
  now = clock.now();
  for (LiveAlert& live : state.alerts) {
    if (lives.size() >= settings.max_alerts) break;
    live.restored = live.alert.state != AlertState::resolved;
    lives.emplace(live.key, std::move(live));
  }
  for (Silence& silence : state.silences) {
    if (silence.until > now) silences.restore(std::move(silence));
  }
  for (auto& [key, live] : lives) live.alert.silenced = silences.covers(live.alert, now);
  saved_silences = silences.version();
  saved_at = now;
}

// What began to hold before the agent was away for longer than it has to hold begins anew.
void Engine::Impl::forget_long_away() {
  std::erase_if(lives, [&](const auto& item) {
    const LiveAlert& live = item.second;
    if (live.alert.state != AlertState::pending) return false;
    const auto rule = by_name.find(live.alert.rule);
    const Duration hold = rule == by_name.end() ? Duration{} : rule->second->rule.hold;
    return now - live.held > std::max(kGrace, hold) + kSaveEvery;
  });
}

void Engine::Impl::run(const View& view, Batch& out) {
  now = view.now();
  if (started == Time{}) {
    started = now;
    forget_long_away();
  }
  samples.take(view);
  for (const auto& rule : active) evaluate(*rule);
  settle(out);
  out.begin(now, 1s);
  tally(out);
  list();
}

void Engine::Impl::evaluate(ActiveRule& rule) {
  for (Group& group : rule.evaluation.run()) {
    if (group.verdict == Verdict::holds) {
      raise(rule, group);
      continue;
    }
    group.refused = false;
    if (group.verdict == Verdict::unknown) continue;
    const auto live = lives.find(group.id);
    if (live != lives.end()) live->second.restored = false;
  }
}

void Engine::Impl::raise(ActiveRule& rule, Group& group) {
  const auto known = lives.find(group.id);
  LiveAlert* live = known == lives.end() ? nullptr : &known->second;
  const bool fresh = live == nullptr || live->alert.state == AlertState::resolved;
  if (fresh) live = begin(rule, group);
  if (live == nullptr) {
    if (!group.refused) ++refused;
    group.refused = true;
    return;
  }
  group.refused = false;
  const bool differs =
      fresh || live->restored || live->outdated || live->alert.value != group.value;
  if (live->outdated) live->alert.attributes = rule.evaluation.attributes(group);
  live->outdated = false;
  live->alert.value = group.value;
  live->alert.since = std::min(live->alert.since, now);
  live->held = now;
  live->missed = {};
  live->restored = false;
  live->entity = rule.evaluation.track(group).entity;
  if (differs) say_texts(rule, *live);
  if (live->alert.state == AlertState::pending && now - live->alert.since >= rule.rule.hold) {
    live->alert.state = AlertState::firing;
    live->alert.fired = now;
    changed = true;
  }
}

LiveAlert* Engine::Impl::begin(const ActiveRule& rule, const Group& group) {
  if (!lives.contains(group.id) && !make_room()) return nullptr;
  LiveAlert& live = lives[group.id];
  live = {};
  live.key = group.id;
  live.alert.id = alert_id(group.id);
  live.alert.rule = rule.rule.name;
  live.alert.since = now;
  live.alert.attributes = rule.evaluation.attributes(group);
  changed = true;
  return &live;
}

// For one more; of those that ended, the oldest goes first.
bool Engine::Impl::make_room() {
  if (lives.size() < settings.max_alerts) return true;
  if (full_at == now) return false;
  auto oldest = lives.end();
  for (auto it = lives.begin(); it != lives.end(); ++it) {
    if (it->second.alert.state != AlertState::resolved) continue;
    if (oldest == lives.end() || it->second.alert.resolved < oldest->second.alert.resolved) {
      oldest = it;
    }
  }
  if (oldest == lives.end()) {
    full_at = now;
    return false;
  }
  lives.erase(oldest);
  return true;
}

void Engine::Impl::say_texts(const ActiveRule& rule, LiveAlert& live) const {
  Alert& alert = live.alert;
  const auto metric = find_metric(rule.rule.conditions.front().term.metric);
  alert.unit = metric ? row(*metric).unit : "";
  alert.severity = rule.rule.severity;
  for (const Attribute& label : rule.rule.labels) {
    const auto known = std::ranges::find(alert.attributes, label.key, &Attribute::key);
    if (known == alert.attributes.end()) {
      alert.attributes.push_back(label);
    } else {
      known->value = label.value;
    }
  }
  const std::string value = value_text(alert.value, alert.unit);
  alert.summary = rule.summary.render(alert.attributes, value);
  alert.description = rule.description.render(alert.attributes, value);
  alert.annotations.clear();
  for (const Annotation& annotation : rule.annotations) {
    alert.annotations.push_back({annotation.key, annotation.text.render(alert.attributes, value)});
  }
}

// Whether an alert whose condition does not hold now ends now; notes since when it does not.
bool Engine::Impl::has_ended(LiveAlert& live) const {
  const auto rule = by_name.find(live.alert.rule);
  if (rule == by_name.end()) return true;
  if (live.restored && now - started < kGrace) return false;
  live.restored = false;
  if (live.alert.state == AlertState::pending) return true;
  if (live.missed == Time{} || live.missed > now) live.missed = now;
  return now - live.missed >= rule->second->rule.keep_firing;
}

void Engine::Impl::settle(Batch& out) {
  for (auto it = lives.begin(); it != lives.end();) {
    LiveAlert& live = it->second;
    Alert& alert = live.alert;
    bool forget = false;
    if (alert.state == AlertState::resolved) {
      forget = now - alert.resolved > settings.resolved_for;
    } else if (live.held != now && has_ended(live)) {
      forget = alert.state == AlertState::pending;
      alert.state = AlertState::resolved;
      alert.resolved = now;
      if (live.told) tell(live, "alert.resolved", Severity::info, out);
      changed = true;
    }
    if (forget) {
      changed = true;
      it = lives.erase(it);
      continue;
    }
    alert.silenced = silences.covers(alert, now);
    if (alert.state == AlertState::firing && !live.told && !alert.silenced) {
      live.told = true;
      changed = true;
      tell(live, "alert.firing", alert.severity, out);
    }
    ++it;
  }
}

void Engine::Impl::tell(const LiveAlert& live, std::string_view event, Severity severity,
                        Batch& out) const {
  const Alert& alert = live.alert;
  Event told{now, std::string(event), severity, live.entity, alert.summary, {}};
  told.attributes = {{"alert.name", alert.rule},
                     {"severity", std::string(to_string(alert.severity))},
                     {"value", {}}};
  append_number(told.attributes.back().value, alert.value);
  told.attributes.insert(told.attributes.end(), alert.attributes.begin(), alert.attributes.end());
  out.events.push_back(std::move(told));
}

Tally& Engine::Impl::tally_of(const Alert& alert) {
  const auto known = std::ranges::find(tallies, alert.rule, &Tally::rule);
  if (known != tallies.end()) return *known;
  Tally tally{alert.rule, alert.severity, {}};
  for (const AlertState state : {AlertState::pending, AlertState::firing}) {
    tally.entities[static_cast<size_t>(state)] =
        entities.intern(EntityKind::facet, kNoEntity,
                        {{"alert.name", alert.rule},
                         {"alert.state", to_string(state)},
                         {"severity", to_string(alert.severity)}});
  }
  std::erase_if(ended, [&](EntityId id) { return std::ranges::count(tally.entities, id) > 0; });
  tallies.push_back(std::move(tally));
  return tallies.back();
}

void Engine::Impl::tally(Batch& out) {
  for (Tally& tally : tallies) tally.counts = {};
  for (const auto& [key, live] : lives) {
    if (live.alert.state == AlertState::resolved || !by_name.contains(live.alert.rule)) continue;
    ++tally_of(live.alert).counts[static_cast<size_t>(live.alert.state)];
  }
  for (const Tally& tally : tallies) {
    for (size_t i = 0; i < tally.counts.size(); ++i) {
      out.add(Metric::warpsight_alerts, tally.entities[i], tally.counts[i]);
    }
  }
  const EntityId limit =
      entities.intern(EntityKind::facet, kNoEntity, {{"stage", "alerts"}, {"reason", "limit"}});
  out.add(Metric::warpsight_dropped, limit, static_cast<double>(refused + samples.dropped()));
  out.gone.insert(out.gone.end(), ended.begin(), ended.end());
  ended.clear();
}

void Engine::Impl::list() {
  order.clear();
  for (auto& [key, live] : lives) order.push_back(&live);
  std::ranges::sort(order, listed_before);
  listed.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) listed[i] = order[i]->alert;
}

std::optional<std::string> Engine::Impl::unsaved(bool at_once) {
  if (settings.state_file.empty()) return std::nullopt;
  const bool alive = std::ranges::any_of(
      listed, [](const Alert& alert) { return alert.state != AlertState::resolved; });
  const bool due = alive && (at_once || now - saved_at >= kSaveEvery || now < saved_at);
  if (!changed && saved_silences == silences.version() && !due) return std::nullopt;
  SavedState state;
  for (const LiveAlert* live : order) state.alerts.push_back(*live);
  state.silences = silences.active(now);
  changed = false;
  saved_silences = silences.version();
  saved_at = now;
  return state_text(state);
}

Engine::Engine(EntityTable& entities, std::vector<Rule> rules, EngineSettings settings,
               const Clock& clock)
    : impl_(std::make_unique<Impl>(entities, std::move(rules), std::move(settings), clock)) {}
Engine::~Engine() = default;

void Engine::run(const View& view, Batch& out) { impl_->run(view, out); }
const std::vector<Alert>& Engine::alerts() const { return impl_->listed; }
const std::vector<Rule>& Engine::rules() const { return impl_->rules; }
void Engine::set_rules(std::vector<Rule> rules) { impl_->set_rules(std::move(rules)); }
Silences& Engine::silences() { return impl_->silences; }
const Silences& Engine::silences() const { return impl_->silences; }
uint64_t Engine::dropped() const { return impl_->refused + impl_->samples.dropped(); }
std::optional<std::string> Engine::unsaved(bool now) { return impl_->unsaved(now); }

}  // namespace warpsight::alerts

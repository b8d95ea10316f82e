#include "top/model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "top/glyphs.h"
#include "top/gpu_details.h"

namespace warpsight::top {
namespace {

constexpr size_t kLongestFilter = 64;
constexpr double kMissedIntervals = 3;
constexpr double kLeastPatience = 5;  // seconds

template <typename Row>
std::vector<std::string> keys_of(std::vector<Row> rows) {
  std::vector<std::string> keys;
  keys.reserve(rows.size());
  for (Row& row : rows) keys.push_back(std::move(row.key));
  return keys;
}

std::string gpu_in(const Texts& attributes) {
  for (const std::string_view key : {"gpu.mig.uuid", "gpu.uuid"}) {
    if (const auto found = attributes.find(key); found != attributes.end()) return found->second;
  }
  return {};
}

}  // namespace

double HostState::age(SteadyTime now) const { return to_seconds(now - (node ? shown : began)); }

bool HostState::stale(SteadyTime now) const {
  if (!node) return error.has_value();
  return to_seconds(now - changed) >
         std::max(kLeastPatience, kMissedIntervals * node->interval.value_or(0));
}

Model::Model(std::vector<std::string> hosts, SteadyTime now)
    : now_(now), view_(hosts.size() > 1 ? View::hosts : View::node) {
  for (std::string& name : hosts) {
    HostState state;
    state.name = std::move(name);
    state.began = now;
    hosts_.push_back(std::move(state));
  }
}

void Model::take(size_t host, Update update, SteadyTime now) {
  now_ = now;
  HostState& state = hosts_[host];
  if (!update.node) {
    state.error = update.node.error();
    return;
  }
  state.error.reset();
  const Node* last = state.waiting ? &*state.waiting : state.node ? &*state.node : nullptr;
  if (last == nullptr || last->time != update.node->time) state.changed = now;
  state.history.add(*update.node);
  state.history.add_before(update.past);
  if (paused_ && state.node) {
    state.waiting = std::move(*update.node);
  } else {
    state.node = std::move(*update.node);
    state.shown = state.changed;
  }
}

void Model::resize(int width, int height) {
  width_ = width;
  height_ = height;
}

const Node* Model::node() const {
  const std::optional<Node>& told = host().node;
  return told ? &*told : nullptr;
}

Order Model::order(Pane pane) const {
  const PaneState& state = panes_[static_cast<size_t>(pane)];
  return {.by = sorts_of(pane)[state.sort], .reversed = state.reversed};
}

std::vector<std::string> Model::keys(Pane pane) const {
  const Node* shown = node();
  if (shown == nullptr) return {};
  switch (pane) {
    case Pane::gpus: return keys_of(gpu_rows(*shown, order(pane), filter_));
    case Pane::processes: return keys_of(process_rows(*shown, order(pane), filter_));
    case Pane::engines: return keys_of(engine_rows(*shown, order(pane), filter_));
    case Pane::events: return keys_of(event_rows(*shown, filter_));
  }
  return {};
}

size_t Model::selected(Pane pane, const std::vector<std::string>& keys) const {
  const PaneState& state = panes_[static_cast<size_t>(pane)];
  const auto found = std::ranges::find(keys, state.selected);
  if (found != keys.end()) return static_cast<size_t>(found - keys.begin());
  return keys.empty() ? 0 : std::min(state.at, keys.size() - 1);
}

const Gpu* Model::gpu() const {
  const Node* shown = node();
  if (shown == nullptr) return nullptr;
  if (view_ == View::gpu) return shown->gpu(opened_gpu_);
  const std::vector<std::string> all = keys(Pane::gpus);
  return all.empty() ? nullptr : shown->gpu(all[selected(Pane::gpus, all)]);
}

void Model::move_to(Pane pane, size_t at, const std::vector<std::string>& keys) {
  PaneState& state = panes_[static_cast<size_t>(pane)];
  if (keys.empty()) return;
  state.at = std::min(at, keys.size() - 1);
  state.selected = keys[state.at];
}

void Model::move(long by) {
  const auto moved = [by](size_t from, size_t count) {
    const long last = count == 0 ? 0 : static_cast<long>(count) - 1;
    return static_cast<size_t>(std::clamp(static_cast<long>(from) + by, 0L, last));
  };
  if (view_ == View::hosts) {
    host_ = moved(host_, hosts_.size());
  } else if (view_ == View::gpu) {
    const Gpu* shown = gpu();
    if (shown == nullptr) return;
    const int hidden = details_height(*node(), *shown) - details_room(height_);
    scroll_ = static_cast<int>(
        moved(static_cast<size_t>(scroll_), hidden > 0 ? static_cast<size_t>(hidden) + 1 : 0));
  } else {
    const std::vector<std::string> all = keys(pane_);
    move_to(pane_, moved(selected(pane_, all), all.size()), all);
  }
}

void Model::turn_pane(int by) {
  if (view_ != View::node) return;
  const auto panes = static_cast<int>(kPanes);
  pane_ = static_cast<Pane>((static_cast<int>(pane_) + by + panes) % panes);
  if (pane_ != Pane::gpus) lower_pane_ = pane_;
}

void Model::turn_host(size_t by) {
  host_ = (host_ + by) % hosts_.size();
  if (view_ == View::gpu) view_ = View::node;
}

std::string Model::gpu_of_selection(const Node& node) const {
  const auto pick = [&](const auto& rows) { return rows[selected(pane_, keys_of(rows))]; };
  switch (pane_) {
    case Pane::gpus: return gpu() == nullptr ? "" : gpu()->id;
    case Pane::processes: {
      const auto rows = process_rows(node, order(pane_), filter_);
      return rows.empty() ? "" : pick(rows).gpu->id;
    }
    case Pane::engines: {
      const auto rows = engine_rows(node, order(pane_), filter_);
      return rows.empty() || pick(rows).engine->gpus.empty() ? "" : pick(rows).engine->gpus.front();
    }
    case Pane::events: {
      const auto rows = event_rows(node, filter_);
      if (rows.empty()) return "";
      const EventRow row = pick(rows);
      return gpu_in(row.alert != nullptr ? row.alert->attributes : row.event->attributes);
    }
  }
  return "";
}

void Model::open() {
  if (view_ == View::hosts) {
    view_ = View::node;
    return;
  }
  const Node* shown = node();
  if (view_ != View::node || shown == nullptr) return;
  const std::string id = gpu_of_selection(*shown);
  if (shown->gpu(id) == nullptr) return;
  opened_gpu_ = id;
  scroll_ = 0;
  view_ = View::gpu;
}

void Model::close() {
  if (view_ == View::gpu) {
    view_ = View::node;
  } else if (!filter_.empty()) {
    filter_.clear();
  } else if (hosts_.size() > 1) {
    view_ = View::hosts;
  }
}

void Model::toggle_pause() {
  paused_ = !paused_;
  if (paused_) return;
  for (HostState& host : hosts_) {
    if (!host.waiting) continue;
    host.node = std::exchange(host.waiting, std::nullopt);
    host.shown = host.changed;
  }
}

void Model::press_while_typing(Key key) {
  switch (key.kind) {
    case Key::Kind::escape: filter_.clear(); [[fallthrough]];
    case Key::Kind::enter: typing_ = false; return;
    case Key::Kind::backspace: {
      std::u32string glyphs = decode(filter_);
      if (!glyphs.empty()) glyphs.pop_back();
      filter_.clear();
      for (const char32_t glyph : glyphs) append_utf8(filter_, glyph);
      return;
    }
    case Key::Kind::character:
      if (filter_.size() < kLongestFilter) append_utf8(filter_, key.character);
      return;
    default: return;
  }
}

bool Model::press_character(char32_t character) {
  PaneState& state = panes_[static_cast<size_t>(pane_)];
  switch (character) {
    case U'q': return false;
    case U'h':
    case U'?': helping_ = true; break;
    case U'j': move(1); break;
    case U'k': move(-1); break;
    case U's':
      state.sort = (state.sort + 1) % sorts_of(pane_).size();
      state.reversed = false;
      break;
    case U'r': state.reversed = !state.reversed; break;
    case U'/': typing_ = view_ == View::node; break;
    case U'p': toggle_pause(); break;
    case U'c': colour_ = !colour_; break;
    case U'n': turn_host(1); break;
    case U'b': turn_host(hosts_.size() - 1); break;
    default: break;
  }
  return true;
}

bool Model::press(Key key) {
  constexpr long kPage = 10;
  constexpr long kFar = std::numeric_limits<int>::max();
  if (helping_) {
    helping_ = false;
    return key.kind != Key::Kind::character || key.character != U'q';
  }
  if (typing_) {
    press_while_typing(key);
    return true;
  }
  switch (key.kind) {
    case Key::Kind::character: return press_character(key.character);
    case Key::Kind::up: move(-1); break;
    case Key::Kind::down: move(1); break;
    case Key::Kind::page_up: move(-kPage); break;
    case Key::Kind::page_down: move(kPage); break;
    case Key::Kind::home: move(-kFar); break;
    case Key::Kind::end: move(kFar); break;
    case Key::Kind::enter: open(); break;
    case Key::Kind::escape:
    case Key::Kind::backspace: close(); break;
    case Key::Kind::tab: turn_pane(1); break;
    case Key::Kind::back_tab: turn_pane(-1); break;
  }
  return true;
}

}  // namespace warpsight::top

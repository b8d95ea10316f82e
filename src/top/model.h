// What the screen shows and what a person chose to see; changed by documents and keys alone.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "top/feed.h"
#include "top/history.h"
#include "top/key.h"
#include "top/node.h"
#include "top/rows.h"

namespace warpsight::top {

// A host as far as it was heard of.
struct HostState {
  std::string name;
  std::optional<Node> node;     // as shown
  std::optional<Node> waiting;  // newer, while the screen is paused
  History history;
  SteadyTime began{};          // first asked
  SteadyTime changed{};        // when its last document with a new time came
  SteadyTime shown{};          // the same of what is shown
  std::optional<Error> error;  // of the last question

  // Seconds since the publish that is shown was seen, or since it was first asked.
  double age(SteadyTime now) const;
  // It answers, but has not published for some intervals; or does not answer.
  bool stale(SteadyTime now) const;
};

enum class View : uint8_t { hosts, node, gpu };

struct PaneState {
  std::string selected;  // the key of a row
  size_t at = 0;         // where it was, for when that row is gone
  size_t sort = 0;       // of sorts_of()
  bool reversed = false;
};

class Model {
 public:
  // One host is shown at once; several begin with the list of hosts.
  Model(std::vector<std::string> hosts, SteadyTime now);

  void take(size_t host, Update update, SteadyTime now);
  void tick(SteadyTime now) { now_ = now; }
  void resize(int width, int height);
  // False: the person wants to leave.
  bool press(Key key);

  const std::vector<HostState>& hosts() const { return hosts_; }
  size_t host_at() const { return host_; }
  const HostState& host() const { return hosts_[host_]; }
  // As last told by that host; nullptr before.
  const Node* node() const;
  SteadyTime now() const { return now_; }
  View view() const { return view_; }
  Pane pane() const { return pane_; }
  // The pane that a small screen shows below the GPUs.
  Pane lower_pane() const { return lower_pane_; }
  bool paused() const { return paused_; }
  bool helping() const { return helping_; }
  bool typing() const { return typing_; }
  bool colour() const { return colour_; }
  void set_colour(bool colour) { colour_ = colour; }
  const std::string& filter() const { return filter_; }
  Order order(Pane pane) const;
  // Where the selected row of a pane is among `keys`; 0 when there are none.
  size_t selected(Pane pane, const std::vector<std::string>& keys) const;
  // The GPU that charts and the view of one GPU are about; nullptr when there is none.
  const Gpu* gpu() const;
  // Lines of the view of one GPU that are scrolled away.
  int scroll() const { return scroll_; }

 private:
  bool press_character(char32_t character);
  void press_while_typing(Key key);
  void move(long by);
  void move_to(Pane pane, size_t at, const std::vector<std::string>& keys);
  void turn_pane(int by);
  void turn_host(size_t by);
  void open();
  void close();
  void toggle_pause();
  std::vector<std::string> keys(Pane pane) const;
  // Of the selected row of the focused pane; empty when it tells of none.
  std::string gpu_of_selection(const Node& node) const;

  std::vector<HostState> hosts_;
  size_t host_ = 0;
  SteadyTime now_;
  View view_;
  Pane pane_ = Pane::gpus;
  Pane lower_pane_ = Pane::processes;
  std::array<PaneState, kPanes> panes_{};
  std::string opened_gpu_;  // while the view is that of a GPU
  std::string filter_;
  int width_ = 80;
  int height_ = 24;
  int scroll_ = 0;
  bool paused_ = false;
  bool helping_ = false;
  bool typing_ = false;
  bool colour_ = true;
};

}  // namespace warpsight::top

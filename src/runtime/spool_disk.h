// Messages kept in a directory until they are delivered: segments named by the number of their
// first message, and a cursor that says up to where everything is done. Whatever kills the agent,
// what append() took is found again, and at most one message is delivered twice.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "platform/fd.h"
#include "runtime/sink_drops.h"
#include "runtime/spool_record.h"
#include "runtime/spool_segment.h"
#include "runtime/spool_settings.h"

namespace warpsight {

// Something a person should know of.
struct SpoolNotice {
  enum class Kind : uint8_t { unwritable, writable, corrupt };
  Kind kind{};
  std::string message;
  std::string file = {};  // of damage: where, and how much of it
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// Not thread-safe. `notices` and `drops` belong to the owner and outlive it.
class SpoolDisk {
 public:
  // Fails when the directory cannot be used, or another agent does.
  static Result<std::unique_ptr<SpoolDisk>> open(const SpoolSettings& settings, const Clock& clock,
                                                 std::vector<SpoolNotice>& notices,
                                                 SinkDrops& drops);

  // Makes room by dropping the oldest segments. An entry older than what is there is put before
  // it. After an error the entry is not there.
  Result<> append(const SpoolEntry& entry);

  // The oldest that waits; nullptr when nothing does.
  const RecordHeader* front() const { return front_ ? &*front_ : nullptr; }

  // The oldest whose bytes are sound, which stays until pop(); false when nothing waits. While it
  // is out, making room does not count it as dropped: that is the caller's to do, see lost().
  bool read_front(SpoolEntry& entry);
  void pop();
  // Whether the segment of what read_front() gave has been dropped since.
  bool lost() const { return out_ && out_->lost; }
  // What read_front() gave was delivered, or not, and is of no more concern.
  void forget() { out_.reset(); }

  // Drops what is older than it may be, unless it is out.
  void drop_aged(Time now);

  // Waits for the disk where the policy wants it by now.
  void sync_if_due();

  uint64_t last_sequence() const { return last_; }
  uint64_t bytes() const { return bytes_ - (reader_ && front_ ? reader_->offset() : 0); }
  uint64_t points() const { return points_; }

 private:
  struct Segment {
    uint64_t first = 0;
    uint64_t size = 0;
    uint64_t points = 0;  // that wait
  };
  struct Out {
    uint64_t sequence = 0;
    uint32_t points = 0;
    bool lost = false;
  };

  SpoolDisk(const SpoolSettings& settings, const Clock& clock, std::vector<SpoolNotice>& notices,
            SinkDrops& drops)
      : settings_(settings), clock_(clock), notices_(notices), drops_(drops) {}

  Result<> lock_directory();
  void load_cursor();
  void save_cursor();
  Result<> index();
  void index_segment(uint64_t first, bool newest);

  Result<> append_newest(const SpoolEntry& entry);
  Result<> insert_older(const SpoolEntry& entry);
  Result<SegmentWriter> create(const std::string& path);
  Result<> sync();
  void sync_or_warn();
  void close_writer();
  void make_room(uint64_t bytes);

  // Makes front() the next record that is not done, removing segments that have no more.
  void find_front();
  // front() is done with: `done` is its header.
  void advance(RecordHeader done);
  bool front_is_out() const;
  void remove_first_segment();
  void tell_damage(const SegmentDamage& damage);
  std::string path_of(uint64_t first) const;

  const SpoolSettings settings_;
  const Clock& clock_;
  std::vector<SpoolNotice>& notices_;
  SinkDrops& drops_;

  Fd lock_;
  Fd cursor_file_;
  uint64_t cursor_ = 0;  // every message up to it is done
  uint64_t last_ = 0;    // the highest number seen

  std::deque<Segment> segments_;
  uint64_t bytes_ = 0;
  uint64_t points_ = 0;

  std::optional<SegmentWriter> writer_;  // of the last segment
  bool unsynced_ = false;
  bool names_unsynced_ = false;
  SteadyTime synced_{};

  std::unique_ptr<SegmentReader> reader_;  // of the first segment
  bool damage_told_ = false;               // of the first segment
  std::optional<RecordHeader> front_;
  std::optional<Out> out_;
};

}  // namespace warpsight

#include "sources/kmsg/kmsg.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>

#include "platform/file.h"
#include "runtime/log.h"
#include "sources/kmsg/line.h"
#include "sources/kmsg/log_reader.h"
#include "sources/kmsg/position.h"
#include "sources/sysfs/text.h"

namespace warpsight {
namespace {

using kmsg::GpuError;
using kmsg::LogReader;
using kmsg::Position;
using kmsg::Record;

constexpr std::array kOptions = {
    OptionDef{"enabled", OptionType::boolean, "true", "Follow the kernel log for GPU errors"},
    OptionDef{"period", OptionType::duration, "1s", "How often the log is looked at", "100ms..1m"},
    OptionDef{"path", OptionType::text, "/dev/kmsg", "The kernel log, below the root"},
};

// What one run may take; the rest waits in the kernel.
constexpr size_t kMaxLines = 50'000;
constexpr size_t kMaxEvents = 128;
// Of what happened before the first start only the newest matters.
constexpr size_t kMaxHistory = 64;

std::string boot_id(const SourceContext& context) {
  const auto text = read_file(under_root(context.root, "/proc/sys/kernel/random/boot_id"), 256);
  return text ? std::string(trim(*text)) : std::string();
}

std::string_view name_of(GpuError::Kind kind) {
  switch (kind) {
    case GpuError::Kind::xid: return "gpu.xid.raw";
    case GpuError::Kind::fallen_off_bus: return "gpu.fallen_off_bus.raw";
    case GpuError::Kind::sxid: return "nvswitch.sxid";
  }
  return {};
}

Event make_event(const GpuError& error, Time time) {
  Event event{time,      std::string(name_of(error.kind)), Severity::info,
              kNoEntity, std::string(error.message),       {}};
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) event.attributes.push_back({std::string(key), std::string(value)});
  };
  const std::string code = error.code == 0 ? std::string() : std::to_string(error.code);
  if (error.kind == GpuError::Kind::sxid) {
    event.severity = error.fatal ? Severity::error : Severity::warning;
    add("nvswitch.sxid.code", code);
    add("nvswitch.sxid.fatal", error.fatal ? "true" : "false");
    add("nvswitch.name", error.unit);
    add("nvswitch.pci.address", error.address);
  } else {
    event.attributes.push_back({"gpu.xid.code", code});
    add("gpu.pci.address", error.address);
    add("gpu.mig.instance_id", error.instance);
    add("process.pid", error.pid);
    add("process.name", error.process);
  }
  add("source", "kmsg");
  return event;
}

class KmsgSource final : public Source {
 public:
  KmsgSource(const SourceContext& context, KmsgRead read)
      : clock_(context.clock),
        entities_(context.entities),
        period_(context.options.duration("period")),
        log_(under_root(context.root, context.options.text("path")), read),
        position_(context.state_dir, boot_id(context)),
        in_history_(!position_.resumed()),
        skip_through_(position_.resumed()) {}

  ~KmsgSource() override { (void)position_.save(std::nullopt); }

  Result<> collect(Batch& out) override {
    out.begin(clock_.now(), period_);
    if (!log_.is_open()) {
      if (const int error = log_.open(); error != 0) {
        return tl::unexpected(kmsg::explain_unreadable(log_.path(), error));
      }
      if (last_seen_) skip_through_ = last_seen_;  // opened anew, it starts at its oldest record
    }
    const Result<> outcome = drain(out);
    add_loss(overwritten_, "overrun", out);
    add_loss(old_history_, "limit", out);
    const auto saved = position_.save(clock_.steady());
    if (!saved && !told_unsaved_) {
      log_warn("the place in the kernel log is not remembered over a restart",
               {{"error", describe(saved.error())}});
    }
    told_unsaved_ = !saved;
    return outcome;
  }

 private:
  Result<> drain(Batch& out) {
    const size_t had = out.events.size();
    for (size_t lines = 0; lines < kMaxLines && out.events.size() - had < kMaxEvents; ++lines) {
      switch (log_.next()) {
        case LogReader::Next::line: take(log_.line(), out); break;
        case LogReader::Next::overrun: overrun_ = true; break;
        case LogReader::Next::end: reached_end(out); return {};
        case LogReader::Next::failed:
          return tl::unexpected(kmsg::explain_unreadable(log_.path(), log_.error()));
      }
    }
    return {};
  }

  void take(std::string_view line, Batch& out) {
    const auto record = kmsg::parse_record(line);
    if (!record) return;
    if (overrun_) note_overrun(*record, out);
    last_seen_ = record->sequence;
    if (skip_through_ && record->sequence <= *skip_through_) return;
    text_.clear();
    kmsg::unescape(record->text, text_);
    const auto error = kmsg::parse_gpu_error(text_);
    if (!error) return;
    Event event = make_event(*error, time_of(*record));
    if (in_history_) {
      event.attributes.push_back({"history", "true"});
      keep_history(std::move(event));
    } else {
      position_.advance(record->sequence);
      out.events.push_back(std::move(event));
    }
  }

  // The log's clock drifts away from the wall clock, by minutes in a month. What came since the
  // last look certainly came since then.
  Time time_of(const Record& record) const {
    const Time now = clock_.now();
    const Time boot = now - clock_.steady().time_since_epoch();
    const Time said = std::min(now, boot + record.since_boot);
    return caught_up_at_ ? std::clamp(said, std::min(*caught_up_at_, now), now) : said;
  }

  void keep_history(Event event) {
    if (history_.size() == kMaxHistory) {
      history_.pop_front();
      ++old_history_.count;
    }
    history_.push_back(std::move(event));
  }

  void reached_end(Batch& out) {
    caught_up_at_ = clock_.now();
    if (!in_history_) return;
    in_history_ = false;
    if (last_seen_) position_.advance(*last_seen_);
    for (Event& event : history_) out.events.push_back(std::move(event));
    history_.clear();
    history_.shrink_to_fit();
  }

  void note_overrun(const Record& record, Batch& out) {
    overrun_ = false;
    const uint64_t next = last_seen_ ? *last_seen_ + 1 : record.sequence;
    const uint64_t lost = record.sequence > next ? record.sequence - next : 1;
    overwritten_.count += static_cast<double>(lost);
    if (in_history_) return;
    out.events.push_back({clock_.now(),
                          "kmsg.overrun",
                          Severity::warning,
                          kNoEntity,
                          "the kernel log was overwritten before it was read",
                          {{"lost", std::to_string(lost)}}});
  }

  struct Loss {
    double count = 0;
    EntityId entity;
  };

  void add_loss(Loss& loss, std::string_view reason, Batch& out) {
    if (loss.count == 0) return;
    if (!loss.entity) {
      loss.entity =
          entities_.intern(EntityKind::facet, kNoEntity, {{"stage", "kmsg"}, {"reason", reason}});
    }
    if (loss.entity) out.add(Metric::warpsight_dropped, loss.entity, loss.count);
  }

  const Clock& clock_;
  EntityTable& entities_;
  Duration period_;
  LogReader log_;
  Position position_;
  bool told_unsaved_ = false;
  bool in_history_;
  std::optional<uint64_t> skip_through_;  // reported by the run before
  std::optional<uint64_t> last_seen_;
  bool overrun_ = false;
  Loss overwritten_;  // records
  Loss old_history_;  // events
  std::optional<Time> caught_up_at_;
  std::deque<Event> history_;
  std::string text_;
};

Result<std::unique_ptr<Source>> make(const SourceContext& context) {
  return make_kmsg_source(context, ::read);
}

std::vector<Finding> diagnose(const SourceContext& context) {
  LogReader log(under_root(context.root, context.options.text("path")), ::read);
  int error = log.open();
  if (error == 0 && log.next() == LogReader::Next::failed) error = log.error();
  if (error == 0) return {{Finding::State::ok, "kernel log " + log.path(), {}}};
  const Error explained = kmsg::explain_unreadable(log.path(), error);
  return {{Finding::State::missing, explained.message, explained.hint}};
}

}  // namespace

std::unique_ptr<Source> make_kmsg_source(const SourceContext& context, KmsgRead read) {
  return std::make_unique<KmsgSource>(context, read);
}

constinit const SourceDef kKmsgSource = {
    .name = "kmsg",
    .summary = "XIDs and other GPU errors in the kernel log",
    .isolation = Isolation::thread,
    .vendor = {},
    .options = kOptions,
    .make = make,
    .diagnose = diagnose,
};

}  // namespace warpsight

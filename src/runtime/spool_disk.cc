#include "runtime/spool_disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "runtime/log.h"

namespace warpsight {
namespace {

constexpr mode_t kMode = 0600;
constexpr size_t kNameDigits = 20;
constexpr std::string_view kSuffix = ".segment";
constexpr std::string_view kTemporary = "new.tmp";
constexpr size_t kMostNotices = 64;

struct CursorLayout {
  uint64_t sequence;
  uint32_t checksum;
  uint32_t unused;
};

uint32_t checksum_of(uint64_t sequence) {
  std::array<char, sizeof sequence> bytes{};
  std::memcpy(bytes.data(), &sequence, sizeof sequence);
  return checksum({bytes.data(), bytes.size()});
}

std::optional<uint64_t> first_of(std::string_view name) {
  if (name.size() != kNameDigits + kSuffix.size() || !name.ends_with(kSuffix)) return std::nullopt;
  uint64_t first = 0;
  const std::string_view digits = name.substr(0, kNameDigits);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), first);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  return whole && first <= kLastSequence ? std::optional(first) : std::nullopt;
}

Result<> make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fail_errno("cannot make the directory " + path, error.value());
  return {};
}

uint64_t record_size(const SpoolEntry& entry) {
  return kRecordHeaderSize + entry.message.bytes.size();
}

}  // namespace

Result<std::unique_ptr<SpoolDisk>> SpoolDisk::open(const SpoolSettings& settings,
                                                   const Clock& clock,
                                                   std::vector<SpoolNotice>& notices,
                                                   SinkDrops& drops) {
  std::unique_ptr<SpoolDisk> disk(new SpoolDisk(settings, clock, notices, drops));
  if (auto locked = disk->lock_directory(); !locked) return tl::unexpected(locked.error());
  disk->load_cursor();
  if (auto indexed = disk->index(); !indexed) return tl::unexpected(indexed.error());
  disk->synced_ = clock.steady();
  disk->find_front();
  return disk;
}

std::string SpoolDisk::path_of(uint64_t first) const {
  return fmt::format("{}/{:0{}}{}", settings_.directory, first, kNameDigits, kSuffix);
}

Result<> SpoolDisk::lock_directory() {
  if (auto made = make_directory(settings_.directory); !made) return made;
  const auto open_file = [&](std::string_view name) {
    const std::string path = fmt::format("{}/{}", settings_.directory, name);
    return Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode));
  };
  lock_ = open_file("lock");
  if (!lock_) return fail_errno("cannot write in " + settings_.directory, errno);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail(settings_.directory + " is used by another agent",
                "stop it, or give each a state_dir of its own");
  }
  cursor_file_ = open_file("cursor");
  if (!cursor_file_) return fail_errno("cannot write in " + settings_.directory, errno);
  return {};
}

void SpoolDisk::load_cursor() {
  CursorLayout layout{};
  const ssize_t n = ::pread(cursor_file_.get(), &layout, sizeof layout, 0);
  if (n != ssize_t{sizeof layout} || layout.checksum != checksum_of(layout.sequence) ||
      layout.sequence > kLastSequence) {
    return;
  }
  cursor_ = layout.sequence;
  last_ = cursor_;
}

void SpoolDisk::save_cursor() {
  const CursorLayout layout{cursor_, checksum_of(cursor_), 0};
  if (::pwrite(cursor_file_.get(), &layout, sizeof layout, 0) != ssize_t{sizeof layout}) {
    log_limited(LogLevel::warn, settings_.directory, "cannot note what the spool has delivered",
                {{"directory", settings_.directory}, {"error", errno_text(errno)}});
  }
  if (settings_.sync == SyncPolicy::always) ::fdatasync(cursor_file_.get());
}

Result<> SpoolDisk::index() {
  std::vector<uint64_t> names;
  std::error_code error;
  std::filesystem::directory_iterator it(settings_.directory, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    if (const auto first = first_of(it->path().filename().native())) names.push_back(*first);
  }
  if (error) return fail_errno("cannot read " + settings_.directory, error.value());
  ::unlink(fmt::format("{}/{}", settings_.directory, kTemporary).c_str());
  std::ranges::sort(names);
  for (const uint64_t first : names) index_segment(first, first == names.back());
  return {};
}

void SpoolDisk::index_segment(uint64_t first, bool newest) {
  const std::string path = path_of(first);
  last_ = std::max(last_, first);
  auto reader = SegmentReader::open(path);
  if (!reader) {
    log_warn("left a part of the spool alone", {{"error", describe(reader.error())}});
    return;
  }
  Segment segment{.first = first, .size = reader->size()};
  SegmentDamage damage;
  while (const auto header = reader->next(damage)) {
    last_ = std::max(last_, header->sequence);
    if (header->sequence > cursor_) segment.points += header->points;
  }
  if (newest && damage.torn && ::truncate(path.c_str(), static_cast<off_t>(damage.offset)) == 0) {
    log_info("took off the end of a message that was being written when the agent ended",
             {{"file", path}, {"bytes", damage.bytes}});
    segment.size = damage.offset;
  }
  bytes_ += segment.size;
  points_ += segment.points;
  segments_.push_back(segment);
}

Result<> SpoolDisk::append(const SpoolEntry& entry) {
  const uint64_t size = record_size(entry);
  const bool fits = size <= settings_.size && entry.message.bytes.size() <= kLargestMessage;
  const bool oldest = front_ && entry.sequence < front_->sequence;
  if (!fits || (oldest && bytes_ + size > settings_.size)) {
    drops_[DropReason::spool_full] += entry.message.points;
    return {};
  }
  make_room(size);
  const bool newest = entry.sequence > last_ || segments_.empty();
  if (auto kept = newest ? append_newest(entry) : insert_older(entry); !kept) return kept;
  last_ = std::max(last_, entry.sequence);
  bytes_ += size;
  points_ += entry.message.points;
  unsynced_ = true;
  if (!front_) find_front();
  sync_if_due();
  return {};
}

Result<SegmentWriter> SpoolDisk::create(const std::string& path) {
  auto writer = SegmentWriter::create(path, settings_);
  if (!writer && make_directory(settings_.directory)) {
    writer = SegmentWriter::create(path, settings_);
  }
  names_unsynced_ |= writer.has_value();
  return writer;
}

Result<> SpoolDisk::append_newest(const SpoolEntry& entry) {
  const bool full = writer_ && writer_->size() > 0 &&
                    writer_->size() + record_size(entry) > settings_.segment_size();
  if (full || (writer_ && writer_->broken())) close_writer();
  if (!writer_) {
    auto created = create(path_of(entry.sequence));
    if (!created) return tl::unexpected(created.error());
    writer_ = std::move(*created);
    segments_.push_back({.first = entry.sequence});
  }
  Segment& segment = segments_.back();
  if (auto written = writer_->append(entry); !written) {
    if (segment.size > 0) return written;
    ::unlink(path_of(segment.first).c_str());
    segments_.pop_back();
    writer_.reset();
    return written;
  }
  segment.size = writer_->size();
  segment.points += entry.message.points;
  return {};
}

Result<> SpoolDisk::insert_older(const SpoolEntry& entry) {
  // Under another name until it is whole: a torn end is expected of the newest segment alone.
  const std::string temporary = fmt::format("{}/{}", settings_.directory, kTemporary);
  auto writer = create(temporary);
  if (!writer) return tl::unexpected(writer.error());
  auto written = writer->append(entry);
  if (written && settings_.sync == SyncPolicy::always) written = writer->sync();
  if (written && std::rename(temporary.c_str(), path_of(entry.sequence).c_str()) != 0) {
    written = fail_errno("cannot rename " + temporary, errno);
  }
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  const auto place = std::ranges::upper_bound(segments_, entry.sequence, {}, &Segment::first);
  if (place == segments_.begin()) {
    reader_.reset();
    front_.reset();
    damage_told_ = false;
  }
  segments_.insert(
      place, {.first = entry.sequence, .size = writer->size(), .points = entry.message.points});
  return {};
}

void SpoolDisk::close_writer() {
  if (unsynced_ && settings_.sync != SyncPolicy::never) sync_or_warn();
  writer_.reset();
}

void SpoolDisk::sync_if_due() {
  if (settings_.sync == SyncPolicy::never || !unsynced_) return;
  const bool due =
      settings_.sync == SyncPolicy::always || clock_.steady() - synced_ >= settings_.sync_interval;
  if (due) sync_or_warn();
}

void SpoolDisk::sync_or_warn() {
  synced_ = clock_.steady();
  if (const auto synced = sync(); !synced) {
    log_limited(LogLevel::warn, settings_.directory, "the spool is not safe from a power cut",
                {{"error", describe(synced.error())}});
  }
}

Result<> SpoolDisk::sync() {
  if (writer_) {
    if (auto synced = writer_->sync(); !synced) return synced;
  }
  if (names_unsynced_) {
    const Fd directory(::open(settings_.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || ::fsync(directory.get()) != 0) {
      return fail_errno("cannot sync " + settings_.directory, errno);
    }
  }
  ::fdatasync(cursor_file_.get());
  unsynced_ = false;
  names_unsynced_ = false;
  return {};
}

void SpoolDisk::make_room(uint64_t bytes) {
  while (!segments_.empty() && bytes_ + bytes > settings_.size) {
    const Segment& oldest = segments_.front();
    uint64_t points = oldest.points;
    if (out_ && !out_->lost) {
      out_->lost = true;
      points -= std::min<uint64_t>(points, out_->points);
    }
    drops_[DropReason::spool_full] += points;
    remove_first_segment();
    find_front();
  }
}

void SpoolDisk::remove_first_segment() {
  const Segment& first = segments_.front();
  ::unlink(path_of(first.first).c_str());
  bytes_ -= first.size;
  points_ -= first.points;
  if (segments_.size() == 1) writer_.reset();
  segments_.pop_front();
  reader_.reset();
  front_.reset();
  damage_told_ = false;
}

void SpoolDisk::find_front() {
  front_.reset();
  while (!segments_.empty()) {
    const Segment& segment = segments_.front();
    if (!reader_) {
      auto opened = SegmentReader::open(path_of(segment.first));
      if (!opened) {
        tell_damage({.offset = 0, .bytes = segment.size});
        drops_[DropReason::corrupt] += segment.points;
        remove_first_segment();
        continue;
      }
      reader_ = std::make_unique<SegmentReader>(std::move(*opened));
    }
    reader_->set_size(segment.size);
    SegmentDamage damage;
    do {
      front_ = reader_->next(damage);
      tell_damage(damage);
    } while (front_ && front_->sequence <= cursor_);
    if (front_) return;
    drops_[DropReason::corrupt] += segment.points;
    remove_first_segment();
  }
}

void SpoolDisk::tell_damage(const SegmentDamage& damage) {
  if (damage.bytes == 0 || damage_told_ || notices_.size() >= kMostNotices) return;
  damage_told_ = true;
  const std::string path = path_of(segments_.front().first);
  notices_.push_back({.kind = SpoolNotice::Kind::corrupt,
                      .message = fmt::format("skipped {} damaged bytes at {} of {}", damage.bytes,
                                             damage.offset, path),
                      .file = path,
                      .offset = damage.offset,
                      .bytes = damage.bytes});
}

void SpoolDisk::advance(const RecordHeader done) {
  Segment& segment = segments_.front();
  const uint64_t points = std::min<uint64_t>(done.points, segment.points);
  segment.points -= points;
  points_ -= points;
  cursor_ = std::max(cursor_, done.sequence);
  save_cursor();
  find_front();
}

bool SpoolDisk::read_front(SpoolEntry& entry) {
  out_.reset();
  while (front_) {
    if (reader_->read(*front_, entry.message.bytes)) {
      entry.sequence = front_->sequence;
      entry.time = front_->time;
      entry.message.kind = front_->kind;
      entry.message.points = front_->points;
      out_ = Out{.sequence = front_->sequence, .points = front_->points};
      return true;
    }
    tell_damage({.offset = reader_->offset(), .bytes = kRecordHeaderSize + front_->length});
    drops_[DropReason::corrupt] += front_->points;
    advance(*front_);
  }
  return false;
}

bool SpoolDisk::front_is_out() const {
  return front_ && out_ && out_->sequence == front_->sequence;
}

void SpoolDisk::pop() {
  if (front_ && front_is_out()) advance(*front_);
  out_.reset();
}

void SpoolDisk::drop_aged(Time now) {
  while (front_ && !front_is_out() && now - front_->time > settings_.age) {
    drops_[DropReason::spool_age] += front_->points;
    advance(*front_);
  }
}

}  // namespace warpsight

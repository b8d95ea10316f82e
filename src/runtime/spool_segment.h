// One file of a spool: records, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"
#include "platform/fd.h"
#include "runtime/spool_record.h"
#include "runtime/spool_settings.h"

namespace warpsight {

class SegmentWriter {
 public:
  // A new file; one of that name is replaced.
  static Result<SegmentWriter> create(std::string path, const SpoolSettings& settings);

  // After an error nothing of the entry is in the file. Where not even that could be brought
  // about the writer is broken, and takes no more.
  Result<> append(const SpoolEntry& entry);
  Result<> sync();

  uint64_t size() const { return size_; }
  bool broken() const { return broken_; }

 private:
  SegmentWriter(Fd fd, std::string path, const SpoolSettings& settings)
      : fd_(std::move(fd)), path_(std::move(path)), write_(settings.write) {}

  Fd fd_;
  std::string path_;
  decltype(SpoolSettings::write) write_;
  uint64_t size_ = 0;
  bool broken_ = false;
};

// Bytes of a segment that are no record.
struct SegmentDamage {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  bool torn = false;  // an append that was cut short, at the very end
};

// Trusts nothing of what it reads.
class SegmentReader {
 public:
  // Reads what stands before `size`, which may grow later.
  static Result<SegmentReader> open(const std::string& path);

  void set_size(uint64_t size) { size_ = size; }
  uint64_t size() const { return size_; }

  // The header of the next record; nullopt at the end. `damage` tells of bytes that had to be
  // passed over before it.
  std::optional<RecordHeader> next(SegmentDamage& damage);

  // The bytes of the record that next() found last. False when they are damaged.
  bool read(const RecordHeader& header, std::string& bytes) const;

  // Where the record that next() found last begins.
  uint64_t offset() const { return offset_; }

 private:
  SegmentReader(Fd fd, uint64_t size) : fd_(std::move(fd)), size_(size) {}

  bool read_at(uint64_t offset, char* into, size_t size) const;
  // Of a record that is wholly there. `cut` tells of one whose end is missing.
  std::optional<RecordHeader> header_at(uint64_t offset, bool& cut) const;
  // Where the next record begins, or the end of the file.
  uint64_t find_record(uint64_t from) const;

  Fd fd_;
  uint64_t size_ = 0;
  uint64_t offset_ = 0;
  uint64_t next_ = 0;
};

}  // namespace warpsight

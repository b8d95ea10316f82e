#include "runtime/spool_segment.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace warpsight {
namespace {

constexpr mode_t kMode = 0600;
constexpr size_t kSearchChunk = size_t{64} * 1024;

// errno, or 0 when all of it was written.
int write_parts(int fd, decltype(SpoolSettings::write) write, std::array<iovec, 2> parts) {
  size_t first = 0;
  while (first < parts.size()) {
    const ssize_t n = write(fd, &parts[first], static_cast<int>(parts.size() - first));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    auto left = static_cast<size_t>(n);
    while (first < parts.size() && left >= parts[first].iov_len) left -= parts[first++].iov_len;
    if (first < parts.size()) {
      parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + left;
      parts[first].iov_len -= left;
    }
  }
  return 0;
}

}  // namespace

Result<SegmentWriter> SegmentWriter::create(std::string path, const SpoolSettings& settings) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kMode));
  if (!fd) return fail_errno("cannot create " + path, errno);
  return SegmentWriter(std::move(fd), std::move(path), settings);
}

Result<> SegmentWriter::append(const SpoolEntry& entry) {
  RecordHeaderBytes header = encode_header(header_of(entry));
  const std::string& bytes = entry.message.bytes;
  const std::array<iovec, 2> parts = {
      iovec{header.data(), header.size()},
      iovec{const_cast<char*>(bytes.data()), bytes.size()}};  // NOLINT: writev only reads
  if (const int error = write_parts(fd_.get(), write_, parts); error != 0) {
    const auto end = static_cast<off_t>(size_);
    broken_ = ::ftruncate(fd_.get(), end) != 0 || ::lseek(fd_.get(), end, SEEK_SET) != end;
    return fail_errno("cannot write " + path_, error);
  }
  size_ += header.size() + bytes.size();
  return {};
}

Result<> SegmentWriter::sync() {
  if (::fdatasync(fd_.get()) != 0) return fail_errno("cannot sync " + path_, errno);
  return {};
}

Result<SegmentReader> SegmentReader::open(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0) return fail_errno("cannot open " + path, errno);
  if (!S_ISREG(info.st_mode)) return fail(path + " is not a file", "move it away");
  return SegmentReader(std::move(fd), static_cast<uint64_t>(info.st_size));
}

bool SegmentReader::read_at(uint64_t offset, char* into, size_t size) const {
  while (size > 0) {
    const ssize_t n = ::pread(fd_.get(), into, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    into += n;
    offset += static_cast<uint64_t>(n);
    size -= static_cast<size_t>(n);
  }
  return true;
}

std::optional<RecordHeader> SegmentReader::header_at(uint64_t offset, bool& cut) const {
  cut = size_ - offset < kRecordHeaderSize;
  RecordHeaderBytes bytes{};
  if (cut || !read_at(offset, bytes.data(), bytes.size())) return std::nullopt;
  const auto header = decode_header({bytes.data(), bytes.size()});
  cut = header && header->length > size_ - offset - kRecordHeaderSize;
  return cut ? std::nullopt : header;
}

uint64_t SegmentReader::find_record(uint64_t from) const {
  std::string chunk;
  while (from < size_ && size_ - from >= kRecordHeaderSize) {
    chunk.resize(std::min<uint64_t>(kSearchChunk, size_ - from));
    if (!read_at(from, chunk.data(), chunk.size())) return size_;
    for (size_t found = chunk.find(kRecordMagic); found != std::string::npos;
         found = chunk.find(kRecordMagic, found + 1)) {
      bool cut = false;
      if (header_at(from + found, cut)) return from + found;
    }
    from += chunk.size() - (kRecordMagic.size() - 1);
  }
  return size_;
}

std::optional<RecordHeader> SegmentReader::next(SegmentDamage& damage) {
  damage = {};
  if (next_ >= size_) return std::nullopt;
  offset_ = next_;
  bool cut = false;
  auto header = header_at(offset_, cut);
  if (!header) {
    const uint64_t found = find_record(offset_ + 1);
    damage = {.offset = offset_, .bytes = found - offset_, .torn = cut && found == size_};
    offset_ = next_ = found;
    if (found == size_) return std::nullopt;
    header = header_at(found, cut);
    if (!header) {
      next_ = size_;
      return std::nullopt;
    }
  }
  next_ = offset_ + kRecordHeaderSize + header->length;
  return header;
}

bool SegmentReader::read(const RecordHeader& header, std::string& bytes) const {
  bytes.resize(header.length);
  return read_at(offset_ + kRecordHeaderSize, bytes.data(), bytes.size()) &&
         checksum(bytes) == header.checksum;
}

}  // namespace warpsight

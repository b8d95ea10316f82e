// A remote write 2.0 request that was made before, perhaps by another run: read, cut into parts,
// told in version 1.0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "wire/remote_write/series.h"

namespace warpsight {

class RemoteWriteRequest {
 public:
  // Replaces what was read before. Views `bytes`, which must outlive the use of this. After an
  // error there are no series.
  Result<> read(std::string_view bytes);

  size_t series() const { return series_.size(); }
  uint64_t points(std::span<const uint32_t> chosen) const;
  // Milliseconds since the epoch of the newest sample; a series has at least one.
  int64_t time(uint32_t series) const { return series_[series].time; }

  // These replace `out` by a request of the chosen series alone, in the order given.
  void write_v2(std::span<const uint32_t> chosen, std::string& out) const;
  // Metadata is told once a family.
  void write_v1(std::span<const uint32_t> chosen, bool with_metadata, std::string& out) const;

 private:
  struct Series {
    std::string_view bytes;
    uint32_t first_ref = 0;
    uint32_t refs = 0;
    uint32_t first_sample = 0;
    uint32_t samples = 0;
    SeriesMetadata metadata = {};
    int64_t time = 0;
  };

  void clear();
  bool read_fields(std::string_view bytes);
  bool read_series(std::string_view bytes);
  bool refs_are_known() const;
  uint64_t v1_size() const;
  std::span<const uint32_t> refs_of(const Series& series) const {
    return std::span(refs_).subspan(series.first_ref, series.refs);
  }
  std::string_view name_of(const Series& series) const;
  void append_v1_series(const Series& series, std::string& out) const;
  void append_v1_metadata(std::span<const uint32_t> chosen, std::string& out) const;

  std::vector<std::string_view> symbols_;
  std::vector<Series> series_;
  std::vector<uint32_t> refs_;
  std::vector<RemoteSample> samples_;
};

}  // namespace warpsight

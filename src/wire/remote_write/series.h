// A series of a remote write 2.0 request. Its labels and metadata are encoded once; a tick adds the
// sample.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpsight {

// As both versions number them.
enum class RemoteWriteType : uint8_t {
  unknown = 0,
  counter = 1,
  gauge = 2,
  histogram = 3,
  info = 6
};

struct SeriesMetadata {
  RemoteWriteType type = RemoteWriteType::unknown;
  uint32_t help = 0;  // symbols
  uint32_t unit = 0;
};

struct RemoteSample {
  double value;
  int64_t time;       // milliseconds since the epoch
  int64_t start = 0;  // of a count; 0: none is told
};

// A NaN that says "this series has ended"; no calculation yields it.
double stale_marker();

// `refs` are symbols, name and value in turn, sorted by name.
void append_label_refs(std::string& out, std::span<const uint32_t> refs);
void append_metadata(std::string& out, const SeriesMetadata& metadata);

// `constant` is what the two functions above wrote.
void append_series(std::string& out, std::string_view constant, const RemoteSample& sample);

}  // namespace warpsight

// Field numbers of both versions of remote write.
#pragma once

#include <cstdint>

namespace warpsight::rw {

// io.prometheus.write.v2.Request and what is in it
inline constexpr uint32_t kRequestSymbols = 4;
inline constexpr uint32_t kRequestSeries = 5;
inline constexpr uint32_t kSeriesLabelRefs = 1;
inline constexpr uint32_t kSeriesSamples = 2;
inline constexpr uint32_t kSeriesMetadata = 5;
inline constexpr uint32_t kSampleStart = 3;
inline constexpr uint32_t kMetadataType = 1;
inline constexpr uint32_t kMetadataHelp = 3;
inline constexpr uint32_t kMetadataUnit = 4;

// the same in both versions
inline constexpr uint32_t kSampleValue = 1;
inline constexpr uint32_t kSampleTime = 2;

// prometheus.WriteRequest and what is in it
inline constexpr uint32_t kV1Series = 1;
inline constexpr uint32_t kV1Metadata = 3;
inline constexpr uint32_t kV1SeriesLabels = 1;
inline constexpr uint32_t kV1SeriesSamples = 2;
inline constexpr uint32_t kV1LabelName = 1;
inline constexpr uint32_t kV1LabelValue = 2;
inline constexpr uint32_t kV1MetadataType = 1;
inline constexpr uint32_t kV1MetadataFamily = 2;
inline constexpr uint32_t kV1MetadataHelp = 4;
inline constexpr uint32_t kV1MetadataUnit = 5;

}  // namespace warpsight::rw

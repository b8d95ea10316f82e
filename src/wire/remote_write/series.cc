#include "wire/remote_write/series.h"

#include <bit>

#include "wire/proto_writer.h"
#include "wire/remote_write/fields.h"

namespace warpsight {
namespace {

constexpr uint64_t kStaleBits = 0x7ff0000000000002;
constexpr size_t kLongestSample = (1 + sizeof(double)) + 2 * (1 + kVarintBytes);

}  // namespace

double stale_marker() { return std::bit_cast<double>(kStaleBits); }

void append_label_refs(std::string& out, std::span<const uint32_t> refs) {
  size_t size = 0;
  for (const uint32_t ref : refs) size += varint_size(ref);
  append_frame(out, bytes_tag(rw::kSeriesLabelRefs), size);
  char text[kVarintBytes];
  for (const uint32_t ref : refs) out.append(text, write_varint(text, ref));
}

void append_metadata(std::string& out, const SeriesMetadata& metadata) {
  char body[3 * (1 + kVarintBytes)];
  char* end = write_varint_field(body, rw::kMetadataType, static_cast<uint64_t>(metadata.type));
  if (metadata.help != 0) end = write_varint_field(end, rw::kMetadataHelp, metadata.help);
  if (metadata.unit != 0) end = write_varint_field(end, rw::kMetadataUnit, metadata.unit);
  append_bytes(out, bytes_tag(rw::kSeriesMetadata), {body, end});
}

void append_series(std::string& out, std::string_view constant, const RemoteSample& sample) {
  // The sample's own size is one byte, so it is written last into its place.
  char body[2 + kLongestSample];
  char* end = write_double_field(body + 2, rw::kSampleValue, sample.value);
  end = write_varint_field(end, rw::kSampleTime, static_cast<uint64_t>(sample.time));
  if (sample.start != 0) {
    end = write_varint_field(end, rw::kSampleStart, static_cast<uint64_t>(sample.start));
  }
  static_assert(kLongestSample < 0x80);
  body[0] = tag_of(rw::kSeriesSamples, WireType::bytes);
  body[1] = static_cast<char>(end - body - 2);

  append_frame(out, bytes_tag(rw::kRequestSeries),
               constant.size() + static_cast<size_t>(end - body));
  out.append(constant);
  out.append(body, end);
}

}  // namespace warpsight

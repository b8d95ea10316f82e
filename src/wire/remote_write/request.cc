#include "wire/remote_write/request.h"

#include <algorithm>
#include <limits>
#include <protozero/pbf_reader.hpp>
#include <unordered_set>

#include "wire/proto_writer.h"
#include "wire/remote_write/fields.h"

namespace warpsight {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

// Few symbols named often make a version 1.0 request of any size.
constexpr uint64_t kLargestV1 = uint64_t{256} << 20;
constexpr std::string_view kName = "__name__";

constexpr uint32_t bytes_at(uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}
constexpr uint32_t varint_at(uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::varint);
}
constexpr uint32_t double_at(uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed64);
}

std::string_view view_of(pbf_reader& reader) {
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

RemoteSample read_sample(pbf_reader reader) {
  RemoteSample sample{};
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case double_at(rw::kSampleValue): sample.value = reader.get_double(); break;
      case varint_at(rw::kSampleTime): sample.time = reader.get_int64(); break;
      case varint_at(rw::kSampleStart): sample.start = reader.get_int64(); break;
      default: reader.skip();
    }
  }
  return sample;
}

SeriesMetadata read_metadata(pbf_reader reader) {
  SeriesMetadata metadata;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case varint_at(rw::kMetadataType):
        metadata.type = static_cast<RemoteWriteType>(reader.get_uint32());
        break;
      case varint_at(rw::kMetadataHelp): metadata.help = reader.get_uint32(); break;
      case varint_at(rw::kMetadataUnit): metadata.unit = reader.get_uint32(); break;
      default: reader.skip();
    }
  }
  return metadata;
}

std::string_view family_of(std::string_view name, RemoteWriteType type) {
  if (type != RemoteWriteType::histogram) return name;
  for (const std::string_view ending : {"_bucket", "_sum", "_count"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

size_t label_size(std::string_view name, std::string_view value) {
  return framed_size(name.size()) + framed_size(value.size());
}

size_t write_sample(char* out, const RemoteSample& sample) {
  char* end = write_double_field(out, rw::kSampleValue, sample.value);
  end = write_varint_field(end, rw::kSampleTime, static_cast<uint64_t>(sample.time));
  return static_cast<size_t>(end - out);
}

constexpr size_t kV1SampleBytes = 1 + sizeof(double) + 1 + kVarintBytes;

}  // namespace

Result<> RemoteWriteRequest::read(std::string_view bytes) {
  clear();
  bool whole = false;
  try {
    whole = read_fields(bytes) && refs_are_known();
  } catch (const protozero::exception&) {
    whole = false;
  }
  if (whole && v1_size() <= kLargestV1) return {};
  clear();
  return fail("what was kept is no remote write request",
              "the file was damaged; its points are lost");
}

void RemoteWriteRequest::clear() {
  symbols_.clear();
  series_.clear();
  refs_.clear();
  samples_.clear();
}

bool RemoteWriteRequest::read_fields(std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<uint32_t>::max()) return false;
  pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case bytes_at(rw::kRequestSymbols): symbols_.push_back(view_of(reader)); break;
      case bytes_at(rw::kRequestSeries):
        if (!read_series(view_of(reader))) return false;
        break;
      default: reader.skip();
    }
  }
  return true;
}

bool RemoteWriteRequest::read_series(std::string_view bytes) {
  Series series{.bytes = bytes,
                .first_ref = static_cast<uint32_t>(refs_.size()),
                .first_sample = static_cast<uint32_t>(samples_.size()),
                .time = std::numeric_limits<int64_t>::min()};
  pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case bytes_at(rw::kSeriesLabelRefs):
        for (const uint32_t ref : reader.get_packed_uint32()) refs_.push_back(ref);
        break;
      case bytes_at(rw::kSeriesSamples):
        samples_.push_back(read_sample(reader.get_message()));
        series.time = std::max(series.time, samples_.back().time);
        break;
      case bytes_at(rw::kSeriesMetadata):
        series.metadata = read_metadata(reader.get_message());
        break;
      default: reader.skip();
    }
  }
  series.refs = static_cast<uint32_t>(refs_.size()) - series.first_ref;
  series.samples = static_cast<uint32_t>(samples_.size()) - series.first_sample;
  series_.push_back(series);
  return series.refs % 2 == 0 && series.samples > 0;
}

bool RemoteWriteRequest::refs_are_known() const {
  const auto known = [&](uint32_t ref) { return ref < symbols_.size(); };
  return std::ranges::all_of(refs_, known) && std::ranges::all_of(series_, [&](const Series& s) {
           return (s.metadata.help == 0 || known(s.metadata.help)) &&
                  (s.metadata.unit == 0 || known(s.metadata.unit));
         });
}

uint64_t RemoteWriteRequest::v1_size() const {
  uint64_t size = 0;
  for (const uint32_t ref : refs_) size += framed_size(symbols_[ref].size());
  for (const Series& series : series_) {
    if (series.metadata.help != 0) size += symbols_[series.metadata.help].size();
    if (series.metadata.unit != 0) size += symbols_[series.metadata.unit].size();
  }
  return size;
}

uint64_t RemoteWriteRequest::points(std::span<const uint32_t> chosen) const {
  uint64_t count = 0;
  for (const uint32_t index : chosen) count += series_[index].samples;
  return count;
}

void RemoteWriteRequest::write_v2(std::span<const uint32_t> chosen, std::string& out) const {
  out.clear();
  for (const std::string_view symbol : symbols_) {
    append_bytes(out, bytes_tag(rw::kRequestSymbols), symbol);
  }
  for (const uint32_t index : chosen) {
    append_bytes(out, bytes_tag(rw::kRequestSeries), series_[index].bytes);
  }
}

void RemoteWriteRequest::write_v1(std::span<const uint32_t> chosen, bool with_metadata,
                                  std::string& out) const {
  out.clear();
  for (const uint32_t index : chosen) append_v1_series(series_[index], out);
  if (with_metadata) append_v1_metadata(chosen, out);
}

void RemoteWriteRequest::append_v1_series(const Series& series, std::string& out) const {
  const std::span<const uint32_t> refs = refs_of(series);
  const auto samples = std::span(samples_).subspan(series.first_sample, series.samples);
  char body[kV1SampleBytes];
  size_t size = 0;
  for (size_t i = 0; i < refs.size(); i += 2) {
    size += framed_size(label_size(symbols_[refs[i]], symbols_[refs[i + 1]]));
  }
  for (const RemoteSample& sample : samples) size += framed_size(write_sample(body, sample));

  append_frame(out, bytes_tag(rw::kV1Series), size);
  for (size_t i = 0; i < refs.size(); i += 2) {
    const std::string_view name = symbols_[refs[i]];
    const std::string_view value = symbols_[refs[i + 1]];
    append_frame(out, bytes_tag(rw::kV1SeriesLabels), label_size(name, value));
    append_bytes(out, bytes_tag(rw::kV1LabelName), name);
    append_bytes(out, bytes_tag(rw::kV1LabelValue), value);
  }
  for (const RemoteSample& sample : samples) {
    const size_t written = write_sample(body, sample);
    append_bytes(out, bytes_tag(rw::kV1SeriesSamples), {body, written});
  }
}

std::string_view RemoteWriteRequest::name_of(const Series& series) const {
  const std::span<const uint32_t> refs = refs_of(series);
  for (size_t i = 0; i < refs.size(); i += 2) {
    if (symbols_[refs[i]] == kName) return symbols_[refs[i + 1]];
  }
  return {};
}

void RemoteWriteRequest::append_v1_metadata(std::span<const uint32_t> chosen,
                                            std::string& out) const {
  std::unordered_set<std::string_view> told;
  std::string body;
  for (const uint32_t index : chosen) {
    const Series& series = series_[index];
    const SeriesMetadata& metadata = series.metadata;
    const std::string_view family = family_of(name_of(series), metadata.type);
    if (metadata.type == RemoteWriteType::unknown || !told.insert(family).second) continue;
    char type[1 + kVarintBytes];
    body.assign(
        type, write_varint_field(type, rw::kV1MetadataType, static_cast<uint64_t>(metadata.type)));
    append_bytes(body, bytes_tag(rw::kV1MetadataFamily), family);
    if (metadata.help != 0) {
      append_bytes(body, bytes_tag(rw::kV1MetadataHelp), symbols_[metadata.help]);
    }
    if (metadata.unit != 0) {
      append_bytes(body, bytes_tag(rw::kV1MetadataUnit), symbols_[metadata.unit]);
    }
    append_bytes(out, bytes_tag(rw::kV1Metadata), body);
  }
}

}  // namespace warpsight

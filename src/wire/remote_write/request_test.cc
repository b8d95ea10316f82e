#include "wire/remote_write/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <numeric>

#include "remote_write_v1.pb.h"
#include "remote_write_v2.pb.h"
#include "wire/remote_write/request_for_test.h"
#include "wire/remote_write/symbols.h"

namespace warpsight {
namespace {

using test::RequestBuilder;
using ::testing::ElementsAre;
using Labels = RequestBuilder::Labels;

std::vector<uint32_t> all_of(const RemoteWriteRequest& request) {
  std::vector<uint32_t> all(request.series());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

oracle::rw2::Request parse_v2(const std::string& bytes) {
  oracle::rw2::Request request;
  EXPECT_TRUE(request.ParseFromString(bytes));
  return request;
}

oracle::rw1::WriteRequest parse_v1(const std::string& bytes) {
  oracle::rw1::WriteRequest request;
  EXPECT_TRUE(request.ParseFromString(bytes));
  return request;
}

Labels labels_of(const oracle::rw1::TimeSeries& series) {
  Labels labels;
  for (const auto& label : series.labels()) labels.emplace_back(label.name(), label.value());
  return labels;
}

TEST(RemoteWriteSeries, ReadsAsTheReferenceWritesIt) {
  const std::string bytes =
      RequestBuilder()
          .add({{"__name__", "up"}, {"job", "a"}}, {1.5, 1700000000123, 1600000000000},
               RemoteWriteType::counter, "help")
          .bytes();
  const oracle::rw2::Request request = parse_v2(bytes);
  EXPECT_THAT(request.symbols(), ElementsAre("", "__name__", "up", "job", "a", "help", "bytes"));
  ASSERT_EQ(request.timeseries_size(), 1);
  const auto& series = request.timeseries(0);
  EXPECT_THAT(series.labels_refs(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(series.metadata().type(), 1);
  EXPECT_EQ(series.metadata().help_ref(), 5U);
  EXPECT_EQ(series.metadata().unit_ref(), 6U);
  ASSERT_EQ(series.samples_size(), 1);
  EXPECT_EQ(series.samples(0).value(), 1.5);
  EXPECT_EQ(series.samples(0).timestamp(), 1700000000123);
  EXPECT_EQ(series.samples(0).start_timestamp(), 1600000000000);
}

TEST(RemoteWriteSeries, AnyTimeCanBeTold) {
  const int64_t times[] = {
      0, 1, -1, 127, 128, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  RequestBuilder builder;
  for (const int64_t time : times) builder.add({{"__name__", "up"}}, {0, time});
  const oracle::rw2::Request request = parse_v2(builder.bytes());
  ASSERT_EQ(request.timeseries_size(), static_cast<int>(std::size(times)));
  for (int i = 0; i < request.timeseries_size(); ++i) {
    EXPECT_EQ(request.timeseries(i).samples(0).timestamp(), times[i]);
  }
}

TEST(RemoteWriteSeries, TheStaleMarkerIsPrometheusOwn) {
  EXPECT_EQ(std::bit_cast<uint64_t>(stale_marker()), 0x7ff0000000000002U);
  const std::string bytes = RequestBuilder().add({{"__name__", "up"}}, {stale_marker(), 1}).bytes();
  RemoteWriteRequest request;
  ASSERT_TRUE(request.read(bytes));
  std::string v1;
  request.write_v1(all_of(request), false, v1);
  EXPECT_EQ(std::bit_cast<uint64_t>(parse_v1(v1).timeseries(0).samples(0).value()),
            0x7ff0000000000002U);
}

TEST(SymbolTable, HoldsEachTextOnceAndKnowsItsWaste) {
  SymbolTable symbols;
  EXPECT_EQ(symbols.acquire(""), 0U);
  EXPECT_EQ(symbols.acquire("a"), symbols.acquire("a"));
  for (int i = 0; i < 200; ++i) symbols.acquire(std::to_string(i));
  EXPECT_FALSE(symbols.mostly_unused());
  for (int i = 0; i < 150; ++i) symbols.release(symbols.acquire(std::to_string(i)));
  EXPECT_FALSE(symbols.mostly_unused());
  for (int i = 0; i < 150; ++i) {
    const uint32_t symbol = symbols.acquire(std::to_string(i));
    symbols.release(symbol);
    symbols.release(symbol);
  }
  EXPECT_TRUE(symbols.mostly_unused());
  for (int i = 0; i < 100; ++i) symbols.acquire(std::to_string(i));
  EXPECT_FALSE(symbols.mostly_unused()) << "used again";
}

TEST(RemoteWriteRequest, SaysTheSameInVersionOne) {
  const std::string bytes =
      RequestBuilder()
          .add({{"__name__", "a_total"}, {"job", "x"}}, {1, 1000, 500}, RemoteWriteType::counter,
               "of a")
          .add({{"__name__", "b_bucket"}, {"le", "+Inf"}}, {2, -5}, RemoteWriteType::histogram)
          .add({{"__name__", "b_sum"}}, {0.25, 1002}, RemoteWriteType::histogram)
          .bytes();
  RemoteWriteRequest request;
  ASSERT_TRUE(request.read(bytes));
  std::string out;
  request.write_v1(all_of(request), true, out);
  const oracle::rw1::WriteRequest v1 = parse_v1(out);
  ASSERT_EQ(v1.timeseries_size(), 3);
  EXPECT_EQ(labels_of(v1.timeseries(0)), (Labels{{"__name__", "a_total"}, {"job", "x"}}));
  EXPECT_EQ(v1.timeseries(0).samples(0).value(), 1);
  EXPECT_EQ(v1.timeseries(0).samples(0).timestamp(), 1000);
  EXPECT_EQ(labels_of(v1.timeseries(1)), (Labels{{"__name__", "b_bucket"}, {"le", "+Inf"}}));
  EXPECT_EQ(v1.timeseries(1).samples(0).timestamp(), -5);
  EXPECT_EQ(v1.timeseries(2).samples(0).value(), 0.25);

  ASSERT_EQ(v1.metadata_size(), 2) << "once a family";
  EXPECT_EQ(v1.metadata(0).metric_family_name(), "a_total");
  EXPECT_EQ(v1.metadata(0).help(), "of a");
  EXPECT_EQ(v1.metadata(0).unit(), "bytes");
  EXPECT_EQ(v1.metadata(0).type(), 1);
  EXPECT_EQ(v1.metadata(1).metric_family_name(), "b");

  request.write_v1(all_of(request), false, out);
  EXPECT_EQ(parse_v1(out).metadata_size(), 0);
}

TEST(RemoteWriteRequest, IsCutIntoParts) {
  RequestBuilder builder;
  for (int i = 0; i < 5; ++i) builder.add({{"__name__", std::to_string(i)}}, {0, i});
  const std::string bytes = builder.bytes();
  RemoteWriteRequest request;
  ASSERT_TRUE(request.read(bytes));
  ASSERT_EQ(request.series(), 5U);
  EXPECT_EQ(request.time(3), 3);

  std::string out;
  request.write_v2(all_of(request), out);
  EXPECT_EQ(out, bytes);
  const uint32_t chosen[] = {4, 1};
  EXPECT_EQ(request.points(chosen), 2U);
  request.write_v2(chosen, out);
  const oracle::rw2::Request part = parse_v2(out);
  ASSERT_EQ(part.timeseries_size(), 2);
  EXPECT_EQ(part.timeseries(0).samples(0).timestamp(), 4);
  EXPECT_EQ(part.timeseries(1).samples(0).timestamp(), 1);
}

TEST(RemoteWriteRequest, DamagedBytesAreAnError) {
  const std::string bytes =
      RequestBuilder().add({{"__name__", "up"}, {"job", "a"}}, {1, 2}).bytes();
  RemoteWriteRequest request;
  for (size_t size = 1; size < bytes.size(); ++size) {
    const bool whole = request.read(std::string_view(bytes).substr(0, size)).has_value();
    EXPECT_EQ(request.series(), 0U) << whole << " at " << size;
  }
  EXPECT_FALSE(request.read(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(request.read("\xff\xff\xff")) << "no field";

  std::string foreign;
  append_label_refs(foreign, std::array<uint32_t, 2>{1, 99});
  std::string unknown;
  append_series(unknown, foreign, {1, 2});
  EXPECT_FALSE(request.read(unknown)) << "symbols that are not there";
}

TEST(RemoteWriteRequest, DoesNotGrowWithoutBoundInVersionOne) {
  SymbolTable symbols;
  std::vector<uint32_t> refs(4096, symbols.acquire(std::string(1 << 20, 'x')));
  std::string constant;
  append_label_refs(constant, refs);
  std::string bytes = symbols.encoded();
  append_series(bytes, constant, {1, 2});
  RemoteWriteRequest request;
  EXPECT_FALSE(request.read(bytes));
}

}  // namespace
}  // namespace warpsight

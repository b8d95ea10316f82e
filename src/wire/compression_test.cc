#include "wire/compression.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

class CompressionTest : public testing::TestWithParam<Compression> {};

std::string body_of(size_t size) {
  std::string body;
  while (body.size() < size) {
    body += "gpu_utilization_ratio{gpu_index=\"" + std::to_string(body.size() % 8) + "\"} 0.5\n";
  }
  body.resize(size);
  return body;
}

TEST_P(CompressionTest, OneCompressorPacksManyBodies) {
  Compressor compressor(GetParam());
  for (const size_t size : {size_t{100000}, size_t{10}, size_t{0}, size_t{50000}}) {
    const std::string body = body_of(size);
    const auto packed = compressor.encode(body);
    ASSERT_TRUE(packed);
    EXPECT_EQ(decompress(GetParam(), *packed, body.size()).value(), body);
    if (size > 1000 && GetParam() != Compression::none) {
      EXPECT_LT(packed->size(), size / 5);
    }
  }
}

TEST_P(CompressionTest, StopsAtTheLimit) {
  Compressor compressor(GetParam());
  const std::string bomb(size_t{32} << 20, '\0');
  const std::string packed(compressor.encode(bomb).value());
  EXPECT_EQ(decompress(GetParam(), packed, bomb.size()).value().size(), bomb.size());
  const auto stopped = decompress(GetParam(), packed, size_t{1} << 20);
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().message.find("larger than allowed"), std::string::npos);
}

TEST_P(CompressionTest, CutAndBrokenDataAreErrors) {
  if (GetParam() == Compression::none) return;
  Compressor compressor(GetParam());
  const std::string packed(compressor.encode(body_of(5000)).value());
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(decompress(GetParam(), packed.substr(0, size), 10000)) << size;
  }
  EXPECT_FALSE(decompress(GetParam(), "this is no compressed data", 10000));
  EXPECT_FALSE(decompress(GetParam(), packed + "and more", 10000));
}

INSTANTIATE_TEST_SUITE_P(All, CompressionTest,
                         testing::Values(Compression::none, Compression::gzip, Compression::zstd,
                                         Compression::snappy),
                         [](const auto& row) { return std::string(wire_name(row.param)); });

TEST(Decompress, MembersOfOneGzipFileFollowEachOther) {
  Compressor compressor(Compression::gzip);
  std::string packed(compressor.encode("first ").value());
  packed += compressor.encode("second").value();
  EXPECT_EQ(decompress(Compression::gzip, packed, 100).value(), "first second");
}

TEST(Decompress, SnappyThatStatesMoreThanItCanHoldIsBroken) {
  // 64 MiB, stated in five bytes.
  EXPECT_FALSE(decompress(Compression::snappy, "\x80\x80\x80\x20\x00", size_t{1} << 30));
}

}  // namespace
}  // namespace warpsight

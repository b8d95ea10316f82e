#include "wire/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace warpsight {
namespace {

std::string unzip(std::string_view packed, size_t limit) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(limit, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(Gzip, OneEncoderPacksManyBodies) {
  GzipEncoder encoder;
  std::string packed;
  for (const size_t size : {size_t{100000}, size_t{10}, size_t{0}, size_t{50000}}) {
    std::string body;
    while (body.size() < size) body += "gpu_utilization_ratio{gpu_index=\"0\"} 0.5\n";
    ASSERT_TRUE(encoder.encode(body, packed));
    EXPECT_EQ(unzip(packed, body.size() + 1), body);
    if (size > 1000) {
      EXPECT_LT(packed.size(), body.size() / 10);
    }
  }
}

}  // namespace
}  // namespace warpsight

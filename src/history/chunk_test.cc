#include "history/chunk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "history/coarse_chunk.h"

namespace warpsight {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kFrames = 360;

std::string encode(const std::vector<double>& values, Precision precision) {
  ChunkEncoder encoder(precision);
  for (size_t i = 0; i < values.size(); ++i) encoder.append(i, values[i]);
  std::string bytes;
  encoder.write_to(bytes);
  return bytes;
}

std::vector<double> round_trip(const std::vector<double>& values, Precision precision) {
  std::vector<double> decoded;
  EXPECT_TRUE(decode_chunk(encode(values, precision), kMaxFrames, decoded));
  decoded.resize(values.size(), kGap);
  return decoded;
}

void expect_same(const std::vector<double>& wanted, const std::vector<double>& found) {
  ASSERT_EQ(wanted.size(), found.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << i;
    } else {
      EXPECT_EQ(wanted[i], found[i]) << i;
    }
  }
}

TEST(HistoryChunk, GapsAreNotZero) {
  const std::vector<double> values = {kGap, 0, 0, kGap, kGap, 7, kGap, 7, 0};
  expect_same(values, round_trip(values, Precision::fine));
}

TEST(HistoryChunk, CountersAreExactWhateverTheyCount) {
  std::mt19937_64 random(1);
  std::vector<double> whole, seconds, sums, bits;
  double count = 123456789012345, time = 1e5, sum = 0;
  for (size_t i = 0; i < kFrames; ++i) {
    whole.push_back(count += static_cast<double>(random() % 100'000));
    seconds.push_back(std::round((time += static_cast<double>(random() % 1000) / 100) * 100) / 100);
    sums.push_back(sum += std::uniform_real_distribution<double>(0, 1)(random));
    double any = 0;
    do any = std::bit_cast<double>(random());
    while (!std::isfinite(any));
    bits.push_back(any);
  }
  for (const auto& values : {whole, seconds, sums, bits}) {
    expect_same(values, round_trip(values, Precision::exact));
  }
}

TEST(HistoryChunk, WholeNumbersOfGaugesAreExactAmongFractions) {
  std::mt19937_64 random(2);
  std::vector<double> values;
  for (size_t i = 0; i < kFrames; ++i) {
    const auto whole = static_cast<double>(random() % 9'000'000'000);
    values.push_back(i % 3 == 0 ? whole + 1.0 / 3 : whole);
  }
  const auto decoded = round_trip(values, Precision::fine);
  for (size_t i = 0; i < kFrames; ++i) {
    if (i % 3 != 0) {
      EXPECT_EQ(values[i], decoded[i]);
    }
  }
}

TEST(HistoryChunk, GaugesLoseNoMoreThanIsSaid) {
  std::mt19937_64 random(3);
  std::vector<double> values;
  for (size_t i = 0; i < kFrames; ++i) {
    values.push_back(std::normal_distribution<double>(0, 1)(random) *
                     std::pow(10, static_cast<double>(random() % 40) - 20));
  }
  const auto fine = round_trip(values, Precision::fine);
  const auto coarse = round_trip(values, Precision::coarse);
  for (size_t i = 0; i < kFrames; ++i) {
    EXPECT_LE(std::fabs(fine[i] - values[i]), 4e-6 * std::fabs(values[i]));
    EXPECT_LE(std::fabs(coarse[i] - values[i]), 7e-5 * std::fabs(values[i]));
  }
  // What was rounded once is not rounded again.
  expect_same(fine, round_trip(fine, Precision::fine));
}

TEST(HistoryChunk, ExtremesPass) {
  const double most = std::numeric_limits<double>::max();
  const std::vector<double> values = {most, -most, std::numeric_limits<double>::min(), 0, 1e15, -1};
  expect_same(values, round_trip(values, Precision::exact));
  for (const double v : round_trip(values, Precision::fine)) EXPECT_TRUE(std::isfinite(v));
}

TEST(HistoryChunk, WhatHardlyChangesIsSmall) {
  EXPECT_LE(encode(std::vector<double>(kFrames, 512.25), Precision::fine).size(), 12);
  std::vector<double> steady, noisy;
  std::mt19937_64 random(4);
  for (size_t i = 0; i < kFrames; ++i) {
    steady.push_back(1e9 + 10.0 * static_cast<double>(i));
    noisy.push_back(std::normal_distribution<double>(400, 20)(random));
  }
  EXPECT_LE(encode(steady, Precision::exact).size(), 120);
  EXPECT_LE(encode(noisy, Precision::fine).size(), kFrames * 2.2);
}

TEST(HistoryChunk, IsReadWhileItGrows) {
  ChunkEncoder encoder(Precision::exact);
  std::vector<double> wanted;
  for (size_t i = 0; i < 50; ++i) {
    wanted.push_back(i % 7 < 4 ? 3 : static_cast<double>(i));
    encoder.append(i, wanted.back());
    std::string bytes;
    encoder.write_to(bytes);
    std::vector<double> decoded;
    ASSERT_TRUE(decode_chunk(bytes, kFrames, decoded));
    expect_same(wanted, decoded);
  }
}

TEST(HistoryChunk, ForeignBytesAreRefusedOrMakeValues) {
  std::mt19937_64 random(5);
  std::vector<double> decoded;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes;
    for (size_t i = random() % 40; i > 0; --i) bytes.push_back(static_cast<char>(random()));
    if (decode_chunk(bytes, kFrames, decoded)) {
      EXPECT_LE(decoded.size(), kFrames);
    } else {
      EXPECT_TRUE(decoded.empty());
    }
  }
}

TEST(HistoryCoarseChunk, KeepsWhatAStepComesTo) {
  std::mt19937_64 random(6);
  StepSums sums(0, 300'000, 72);
  double total = 0;
  for (int64_t i = 0; i < 2160; ++i) {
    if (i / 30 == 5) continue;  // five minutes without a sample
    total += static_cast<double>(random() % 1000);
    if (i == 1000) total = 5;
    sums.add(i * 10'000, total);
  }
  std::string bytes;
  ASSERT_TRUE(encode_coarse(sums.sums(), MetricKind::counter, bytes));
  std::vector<StepSum> decoded;
  ASSERT_TRUE(decode_coarse(bytes, 72, decoded));
  ASSERT_EQ(decoded.size(), 72);
  for (size_t i = 0; i < 72; ++i) {
    const StepSum& wanted = sums.sums()[i];
    EXPECT_EQ(decoded[i].count, wanted.count);
    EXPECT_EQ(decoded[i].last, wanted.last);
    EXPECT_EQ(decoded[i].min, wanted.min);
    EXPECT_EQ(decoded[i].max, wanted.max);
    EXPECT_EQ(decoded[i].gain, wanted.gain);
    EXPECT_NEAR(decoded[i].seconds, wanted.seconds, 0.001);
  }
  EXPECT_EQ(decoded[5].count, 0);
}

TEST(HistoryCoarseChunk, OfNothingIsNothing) {
  std::string bytes;
  EXPECT_FALSE(encode_coarse(std::vector<StepSum>(12), MetricKind::gauge, bytes));
}

}  // namespace
}  // namespace warpsight

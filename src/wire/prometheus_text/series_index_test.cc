#include "wire/prometheus_text/series_index.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "../tests/unit/allocation_counter.h"
#include "wire/prometheus_text/reader.h"

namespace warpsight::prometheus_text {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

struct Handler {
  std::vector<std::pair<uint32_t, std::string>> met;
  std::map<uint32_t, double> values;
  void series(uint32_t id, const SampleView& sample) { met.emplace_back(id, sample.series); }
  void value(uint32_t id, const Reading& reading) { values[id] = reading.value; }
};

Handler scrape(SeriesIndex& index, std::string_view body) {
  Handler handler;
  read_scrape(body, TextFormat::classic, index, handler);
  return handler;
}

TEST(SeriesIndex, MeetsASeriesOnce) {
  SeriesIndex index;
  const Handler first = scrape(index, "# TYPE a gauge\na{b=\"1\"} 1\na{b=\"2\"} 2\nc 3\n");
  EXPECT_THAT(first.met, ElementsAre(Pair(0, "a{b=\"1\"}"), Pair(1, "a{b=\"2\"}"), Pair(2, "c")));
  const Handler second = scrape(index, "# TYPE a gauge\na{b=\"1\"} 4\na{b=\"2\"} 5.5\nc 6 77\n");
  EXPECT_THAT(second.met, IsEmpty());
  EXPECT_THAT(second.values, ElementsAre(Pair(0, 4), Pair(1, 5.5), Pair(2, 6)));
  EXPECT_THAT(index.missing(), IsEmpty());
}

TEST(SeriesIndex, KnowsNewOnesAndThoseThatAreGone) {
  SeriesIndex index;
  scrape(index, "a 1\nb 1\nc 1\nd 1\n");
  const Handler second = scrape(index, "a 2\nx 2\nc 2\nd 2\n");
  EXPECT_THAT(second.met, ElementsAre(Pair(4, "x")));
  EXPECT_THAT(second.values, ElementsAre(Pair(0, 2), Pair(2, 2), Pair(3, 2), Pair(4, 2)));
  EXPECT_THAT(index.missing(), ElementsAre(1));
  scrape(index, "a 3\nx 3\nc 3\nd 3\n");
  EXPECT_THAT(index.missing(), ElementsAre(1)) << "still missing";
  scrape(index, "b 4\na 4\n");
  EXPECT_THAT(index.missing(), UnorderedElementsAre(2, 3, 4));
  scrape(index, "b 4\n");
  EXPECT_THAT(index.missing(), UnorderedElementsAre(0, 2, 3, 4)) << "the page ends early";
}

TEST(SeriesIndex, DoesNotTakeAPrefixForTheSeries) {
  SeriesIndex index;
  scrape(index, "a 1\na{b=\"c\"} 1\n");
  const Handler second = scrape(index, "a_b 1\na {b=\"c\"} 2\na{b=\"c\"}3\n");
  EXPECT_THAT(second.met, ElementsAre(Pair(2, "a_b"), Pair(3, "a {b=\"c\"}")));
  EXPECT_THAT(second.values, ElementsAre(Pair(1, 3), Pair(2, 1), Pair(3, 2)));
}

TEST(SeriesIndex, ForgetsAndGivesTheIdAgain) {
  SeriesIndex index;
  scrape(index, "a 1\nb 1\nc 1\n");
  scrape(index, "a 1\nc 1\n");
  for (const uint32_t id : index.missing()) index.forget(id);
  EXPECT_EQ(index.size(), 2U);
  const Handler third = scrape(index, "a 1\nc 5\n");
  EXPECT_THAT(index.missing(), IsEmpty());
  EXPECT_THAT(third.values, ElementsAre(Pair(0, 1), Pair(2, 5)));
  const Handler fourth = scrape(index, "a 1\nc 1\nnew 7\nb 8\n");
  EXPECT_THAT(fourth.met, ElementsAre(Pair(1, "new"), Pair(3, "b")));
  index.forget(0);
  const Handler fifth = scrape(index, "a 1\nc 1\nnew 1\nb 1\n");
  EXPECT_THAT(fifth.met, ElementsAre(Pair(0, "a"))) << "was in the last scrape, is met again";
}

TEST(SeriesIndex, StopsAtItsLimits) {
  SeriesIndex index({.series = 2, .bytes = 1000});
  Handler handler;
  Summary summary = read_scrape("a 1\nb 2\nc 3\nd 4\n", TextFormat::classic, index, handler);
  EXPECT_EQ(summary.samples, 4U);
  EXPECT_EQ(summary.dropped, 2U);
  EXPECT_THAT(handler.values, ElementsAre(Pair(0, 1), Pair(1, 2)));
  SeriesIndex small({.series = 100, .bytes = 10});
  summary = read_scrape("aaaaaaaa 1\nbbb 2\ncc 3\n", TextFormat::classic, small, handler);
  EXPECT_EQ(summary.dropped, 1U);
  EXPECT_EQ(small.size(), 2U);
}

std::string page(int turn, int series) {
  std::string body;
  for (int i = 0; i < series; ++i) {
    body += fmt::format(
        "# HELP m{0} What this says.\n# TYPE m{0} gauge\nm{0}{{gpu=\"{0}\"}} {1}.5 {2}\n", i,
        turn * 31 + i, 1'700'000'000'000 + turn);
  }
  return body;
}

TEST(SeriesIndex, ASecondScrapeTakesNoMemory) {
  SeriesIndex index;
  struct {
    double total = 0;
    void series(uint32_t, const SampleView&) {}
    void value(uint32_t, const Reading& reading) { total += reading.value; }
  } handler;
  const std::string first = page(0, 1000);
  const std::string later = page(1, 1000);
  read_scrape(first, TextFormat::classic, index, handler);
  const uint64_t before = test::allocations();
  const Summary summary = read_scrape(later, TextFormat::classic, index, handler);
  EXPECT_EQ(test::allocations(), before);
  EXPECT_EQ(summary.samples, 1000U);
}

TEST(SeriesIndex, ReorderedSeriesTakeNoMemoryEither) {
  SeriesIndex index;
  Handler handler;
  read_scrape("a 1\nb 1\nc 1\n", TextFormat::classic, index, handler);
  read_scrape("c 1\nb 1\na 1\n", TextFormat::classic, index, handler);
  read_scrape("a 1\nb 1\nc 1\n", TextFormat::classic, index, handler);
  const uint64_t before = test::allocations();
  read_scrape("b 1\nc 1\na 1\n", TextFormat::classic, index, handler);
  EXPECT_EQ(test::allocations(), before);
}

// Against a plain map, through churn that makes the index collect what was forgotten.
TEST(SeriesIndex, IsRightWhateverComesAndGoes) {
  SeriesIndex index({.series = 400, .bytes = 64 << 10});
  std::mt19937 random(11);
  std::map<std::string, uint32_t> ids;
  for (int turn = 0; turn < 300; ++turn) {
    std::vector<std::string> present;
    for (int i = 0; i < 200; ++i) {
      if (random() % 8 == 0) continue;
      const int churn = i % 4 == 0 ? turn / 3 : 0;
      present.push_back(fmt::format("metric_{}{{pod=\"{}{}\"}}", i, std::string(60, 'p'), churn));
    }
    if (turn % 7 == 0) std::shuffle(present.begin(), present.end(), random);
    std::string body;
    for (size_t i = 0; i < present.size(); ++i) body += fmt::format("{} {}\n", present[i], i);
    Handler handler;
    const Summary summary = read_scrape(body, TextFormat::classic, index, handler);
    ASSERT_EQ(summary.dropped, 0U);
    for (const auto& [id, name] : handler.met) {
      ASSERT_TRUE(ids.emplace(name, id).second) << name << " was known";
    }
    ASSERT_EQ(handler.values.size(), present.size());
    for (size_t i = 0; i < present.size(); ++i) {
      ASSERT_EQ(handler.values.at(ids.at(present[i])), static_cast<double>(i));
      ASSERT_EQ(index.series(ids.at(present[i])), present[i]);
    }
    std::vector<uint32_t> missing(index.missing().begin(), index.missing().end());
    ASSERT_EQ(missing.size() + present.size(), ids.size());
    if (turn % 5 != 0) continue;
    for (const uint32_t id : missing) {
      ids.erase(std::string(index.series(id)));
      index.forget(id);
    }
  }
  EXPECT_LT(index.capacity(), 500U);
}

}  // namespace
}  // namespace warpsight::prometheus_text

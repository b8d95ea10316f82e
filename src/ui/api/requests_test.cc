#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/api/events_request.h"
#include "ui/api/latest_request.h"
#include "ui/api/series_request.h"

namespace warpsight {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Time kNow{1'700'000'000s};

Parameters times(size_t n, const std::string& name, const std::string& value) {
  Parameters all;
  for (size_t i = 0; i < n; ++i) all.emplace_back(name, fmt::format("{}{}", value, i));
  return all;
}

std::string series_error(const Parameters& parameters) {
  const auto query = parse_series_request(parameters, kNow);
  return query ? "none" : describe(query.error());
}

std::string events_error(const Parameters& parameters) {
  const auto query = parse_events_request(parameters, kNow);
  return query ? "none" : describe(query.error());
}

TEST(SeriesRequest, EverythingThatCanBeSaid) {
  const auto query = parse_series_request({{"metric", "gpu.power.draw"},
                                           {"metric", "gpu.utilization"},
                                           {"metric", "gpu.power.draw"},
                                           {"match", "gpu.index=0|1"},
                                           {"match", "gpu.model!=H100"},
                                           {"from", "-2h"},
                                           {"to", "-1h"},
                                           {"step", "5m"},
                                           {"aggregate", "max"},
                                           {"limit", "1000"}},
                                          kNow);
  ASSERT_TRUE(query) << describe(query.error());
  EXPECT_THAT(query->metrics, ElementsAre("gpu.power.draw", "gpu.utilization"));
  EXPECT_THAT(query->matchers,
              ElementsAre(Matcher{"gpu.index", {"0", "1"}}, Matcher{"gpu.model", {"H100"}, true}));
  EXPECT_EQ(query->from, kNow - 2h);
  EXPECT_EQ(query->to, kNow - 1h);
  EXPECT_EQ(query->step, 5min);
  EXPECT_EQ(query->aggregate, Aggregate::max);
  EXPECT_EQ(query->limit, 1000U);
}

TEST(SeriesRequest, WithoutARangeItIsTheLastHourBeforeItsEnd) {
  const auto plain = parse_series_request({{"metric", "m"}}, kNow);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->from, kNow - 1h);
  EXPECT_EQ(plain->to, kNow);
  EXPECT_EQ(plain->step, 0s);
  EXPECT_EQ(plain->aggregate, Aggregate::mean);
  EXPECT_EQ(plain->limit, 200U);
  const auto ended = parse_series_request({{"to", "-3h"}, {"metric", "m"}}, kNow);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->from, kNow - 4h);
}

TEST(SeriesRequest, WhatIsWrongIsNamedAndSaysWhatWouldBeRight) {
  EXPECT_EQ(series_error({{"metrc", "m"}}),
            "there is no parameter \"metrc\"; did you mean metric?");
  EXPECT_EQ(series_error({{"zzzzzz", "m"}}),
            "there is no parameter \"zzzzzz\"; there are metric, match, from, to, step, aggregate, "
            "limit");
  EXPECT_EQ(series_error({{"metric", "m"}, {"step", "5m"}, {"step", "6m"}}),
            "step is given more than once; give it once");
  EXPECT_EQ(series_error({{"metric", "m"}, {"aggregate", "maxx"}}),
            "there is no aggregate \"maxx\"; did you mean max?");
  EXPECT_THAT(series_error({{"metric", "m"}, {"match", "gpu"}}), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(series_error({{"metric", "m"}, {"from", "soon"}}), HasSubstr("RFC 3339"));
  EXPECT_THAT(series_error({{"metric", "m"}, {"step", "0"}}), HasSubstr("1s or more"));
  EXPECT_THAT(series_error({{"metric", "m"}, {"from", "-1h"}, {"to", "-2h"}}),
              HasSubstr("from < to"));
  EXPECT_NE(series_error({}), "none");
  EXPECT_NE(series_error({{"metric", ""}}), "none");
  const std::string hostile(5000, 'x');
  EXPECT_LT(series_error({{hostile, "m"}}).size(), 300U);
}

TEST(SeriesRequest, BoundsHold) {
  EXPECT_EQ(series_error(times(20, "metric", "m")), "none");
  EXPECT_THAT(series_error(times(21, "metric", "m")), HasSubstr("more than 20 metrics"));
  Parameters matchers = times(20, "match", "a=");
  matchers.emplace_back("metric", "m");
  EXPECT_EQ(series_error(matchers), "none");
  matchers.emplace_back("match", "b=1");
  EXPECT_THAT(series_error(matchers), HasSubstr("more than 20 matchers"));
  for (const char* limit : {"0", "1001", "-1", "1.5", "", "ten", "99999999999999999999"}) {
    EXPECT_THAT(series_error({{"metric", "m"}, {"limit", limit}}), HasSubstr("from 1 to 1000"));
  }
  EXPECT_EQ(series_error({{"metric", "m"}, {"from", "-10999s"}, {"step", "1"}}), "none");
  EXPECT_THAT(series_error({{"metric", "m"}, {"from", "-11001s"}, {"step", "1"}}),
              HasSubstr("11000 steps"));
  EXPECT_THAT(series_error({{"metric", "m"}, {"from", "-10s"}, {"step", "9000000000"}}),
              HasSubstr("longer than 366 days"));
  EXPECT_THAT(series_error({{"metric", "m"}, {"from", "0"}, {"to", "9000000000"}}),
              HasSubstr("ends after 2199"));
}

TEST(SeriesRequest, AStepIsOfWholeMilliseconds) {
  const auto query = parse_series_request({{"metric", "m"}, {"step", "1.0007"}}, kNow);
  ASSERT_TRUE(query);
  EXPECT_EQ(query->step, 1001ms);
}

TEST(EventsRequest, EverythingThatCanBeSaid) {
  const auto query = parse_events_request({{"from", "1699990000"},
                                           {"to", "now"},
                                           {"name", "gpu.*"},
                                           {"name", "alert.firing"},
                                           {"severity", "warning"},
                                           {"match", "gpu.index=0"},
                                           {"limit", "5"}},
                                          kNow);
  ASSERT_TRUE(query) << describe(query.error());
  EXPECT_EQ(query->from, Time{1'699'990'000s});
  EXPECT_EQ(query->to, kNow);
  EXPECT_THAT(query->names, ElementsAre("gpu.*", "alert.firing"));
  EXPECT_EQ(query->least, Severity::warning);
  EXPECT_THAT(query->matchers, ElementsAre(Matcher{"gpu.index", {"0"}}));
  EXPECT_EQ(query->limit, 5U);
}

TEST(EventsRequest, WithoutAnythingItIsAllThatIsKept) {
  const auto query = parse_events_request({}, kNow);
  ASSERT_TRUE(query);
  EXPECT_EQ(query->from, Time{});
  EXPECT_EQ(query->to, kNow);
  EXPECT_EQ(query->least, Severity::info);
  EXPECT_EQ(query->limit, 200U);
}

TEST(EventsRequest, WhatIsWrongIsNamedAndSaysWhatWouldBeRight) {
  EXPECT_THAT(events_error({{"names", "x"}}), HasSubstr("did you mean name?"));
  EXPECT_THAT(events_error({{"name", "gpu.*.x"}}), HasSubstr("end in *"));
  EXPECT_THAT(events_error({{"name", ""}}), HasSubstr("gpu.xid"));
  EXPECT_THAT(events_error({{"severity", "fatal"}}), HasSubstr("info, warning and error"));
  EXPECT_THAT(events_error({{"from", "-1h"}, {"to", "-2h"}}), HasSubstr("earlier"));
  EXPECT_THAT(events_error({{"limit", "1001"}}), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(events_error(times(21, "name", "n")), HasSubstr("more than 20 names"));
  EXPECT_THAT(events_error({{"step", "1"}}), HasSubstr("there is no parameter"));
}

TEST(LatestRequest, MetricsMustBeKnown) {
  const auto filter = parse_latest_request(
      {{"metric", "gpu.utilization"}, {"metric", "gpu.power.draw"}, {"match", "gpu.index=0"}});
  ASSERT_TRUE(filter);
  EXPECT_THAT(filter->metrics, ElementsAre(Metric::gpu_utilization, Metric::gpu_power_draw));
  EXPECT_THAT(filter->matchers, ElementsAre(Matcher{"gpu.index", {"0"}}));

  const auto typo = parse_latest_request({{"metric", "gpu.utilisation"}});
  ASSERT_FALSE(typo);
  EXPECT_EQ(describe(typo.error()),
            "there is no metric \"gpu.utilisation\"; did you mean gpu.utilization?");
  EXPECT_FALSE(parse_latest_request({{"from", "-1h"}}));
  EXPECT_FALSE(parse_latest_request({{"metric", "qqqqqqqqqqqqqqqq"}}));
}

}  // namespace
}  // namespace warpsight

#include "app/query_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpsight {
namespace {

using std::chrono::seconds;

SeriesAnswer two_gpus() {
  return {.first = Time{seconds{1'700'000'000}},
          .step = seconds{10},
          .steps = 3,
          .rows = {{"gpu.power.draw",
                    "W",
                    MetricKind::gauge,
                    {{"gpu.index", "0"}, {"gpu.vendor", "nvidia"}},
                    {512.25, NAN, NAN}},
                   {"gpu.power.draw",
                    "W",
                    MetricKind::gauge,
                    {{"gpu.index", "1"}, {"gpu.vendor", "nvidia"}},
                    {60, NAN, 61.5}}}};
}

TEST(QueryText, ATableSaysOnceWhatAllSeriesShare) {
  EXPECT_EQ(series_text(two_gpus(), TextForm::table),
            "gpu.power.draw [W]  gpu.vendor=nvidia\n"
            "time                  gpu.index=0  gpu.index=1\n"
            "2023-11-14T22:13:20Z  512.25       60\n"
            "2023-11-14T22:13:40Z  -            61.5\n");
}

TEST(QueryText, ACsvHasEverythingInItsHeadingAndEmptyCellsForGaps) {
  EXPECT_EQ(series_text(two_gpus(), TextForm::csv),
            "time,gpu.index=0 gpu.vendor=nvidia,gpu.index=1 gpu.vendor=nvidia\r\n"
            "2023-11-14T22:13:20Z,512.25,60\r\n"
            "2023-11-14T22:13:40Z,,61.5\r\n");
}

TEST(QueryText, SeveralMetricsAreToldApart) {
  SeriesAnswer answer = two_gpus();
  answer.rows[1].metric = "gpu.temperature";
  answer.rows[1].attributes = answer.rows[0].attributes;
  const std::string text = series_text(answer, TextForm::table);
  EXPECT_NE(text.find("gpu.power.draw  gpu.temperature"), std::string::npos) << text;
}

TEST(QueryText, NothingForeignReachesTheTerminalAsItIs) {
  SeriesAnswer answer = two_gpus();
  for (auto& row : answer.rows) row.attributes.push_back({"model.name", "\x1b]0;title\x07\x1b[2J"});
  answer.rows[1].attributes.push_back({"other", "\x1b[2J"});
  for (const TextForm form : {TextForm::table, TextForm::csv}) {
    EXPECT_EQ(series_text(answer, form).find('\x1b'), std::string::npos);
  }
  const EventAnswer events{.events = {{{}, "e", Severity::info, "\x1b[2J", {}}}};
  EXPECT_EQ(events_text(events, TextForm::table).find('\x1b'), std::string::npos);
}

TEST(QueryText, SaysThatThereIsMore) {
  SeriesAnswer answer = two_gpus();
  answer.left_out = 6;
  EXPECT_NE(series_text(answer, TextForm::table).find("6 more series"), std::string::npos);
  EXPECT_EQ(series_text({}, TextForm::table), "no series matches\n");
}

TEST(QueryText, EventsWithCommasAndQuotesSurviveCsv) {
  const EventAnswer answer{.events = {{Time{seconds{1'700'000'000}},
                                       "gpu.xid",
                                       Severity::error,
                                       "XID 79, \"fell off\"",
                                       {{"gpu.index", "0"}}}}};
  EXPECT_EQ(events_text(answer, TextForm::csv),
            "time,severity,event,message,attributes\r\n"
            "2023-11-14T22:13:20Z,error,gpu.xid,\"XID 79, \"\"fell off\"\"\",gpu.index=0\r\n");
  EXPECT_EQ(events_text(answer, TextForm::table),
            "time                  severity  event    message\n"
            "2023-11-14T22:13:20Z  error     gpu.xid  XID 79, \"fell off\"\n");
}

}  // namespace
}  // namespace warpsight

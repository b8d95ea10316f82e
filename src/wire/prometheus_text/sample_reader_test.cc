#include "wire/prometheus_text/sample_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "wire/prometheus_text/comparison_for_test.h"

namespace warpsight::prometheus_text {
namespace {

// Two lines that teach the reader what a third may have in common with them, and the third.
void expect_read_as_alone(const std::string& third) {
  const std::string body = "a{x=\"1\",le=\"1\"} 1\na{x=\"1\",le=\"2\"} 2\n" + third + "\nb 1\n";
  EXPECT_EQ(reference::difference(body, TextFormat::classic), "") << third;
  EXPECT_EQ(reference::difference(body, TextFormat::open_metrics), "") << third;
}

TEST(SampleReader, ReadsALineThatBeginsAsTheOnesBeforeLikeAnyOther) {
  for (const char* third :
       {R"(a{x="1",le="3"} 3)", R"(a{x="1",le=""} 3)", R"(a{x="1",le="3",} 3)",
        R"(a{x="1",le="3"}4)", R"(a{x="1",le="3" } 3)", R"(a{x="1",le="3", y="4"} 3)",
        R"(a{x="1",le="3",y="4",z="5"} 3)", R"(a{x="1",le="3\"4"} 3)",
        R"(a{x="1",le="3","y"="4"} 3)", R"(a{x="2",le="3"} 3)", R"(a{x="1"} 3)", R"(a 3)",
        R"(ab{x="1",le="3"} 3)"}) {
    expect_read_as_alone(third);
  }
}

TEST(SampleReader, RefusesALineThatOnlyBeginsWell) {
  for (const char* third : {R"(a{x="1",le="3)", R"(a{x="1",le=")", R"(a{x="1",le="3"y} 3)",
                            R"(a{x="1",le="3",1="2"} 3)", R"(a{x="1",le="3\"} 3)",
                            R"(a{x="1",le="3",y} 3)", R"(a{x="1",le="3"} )"}) {
    expect_read_as_alone(third);
  }
}

TEST(SampleReader, FollowsFromOneRunOfLinesToTheNext) {
  std::string body;
  for (const char* name : {"a_bucket", "b_bucket"}) {
    for (int handler = 0; handler < 3; ++handler) {
      for (int le = 0; le < 5; ++le) {
        body += std::string(name) + "{handler=\"/" + std::to_string(handler) + "\",le=\"" +
                std::to_string(le) + "\",pod=\"p\"} " + std::to_string(le) + "\n";
      }
      body += std::string(name) + "_sum{handler=\"/" + std::to_string(handler) + "\"} 1.5\n";
    }
  }
  EXPECT_EQ(reference::difference(body, TextFormat::classic), "");
}

}  // namespace
}  // namespace warpsight::prometheus_text

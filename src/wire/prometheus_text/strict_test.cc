#include "wire/prometheus_text/strict.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/prometheus_text/captures_for_test.h"

namespace warpsight::prometheus_text {
namespace {

// "3: reason", or nothing for a page that is as it should be.
std::string violation(std::string_view body, TextFormat format) {
  const auto found = find_violation(body, format);
  return found ? std::to_string(found->line) + ": " + std::string(found->reason) : std::string();
}

std::string classic(std::string_view body) { return violation(body, TextFormat::classic); }
std::string open_metrics(std::string_view body) {
  return violation(std::string(body) + "# EOF\n", TextFormat::open_metrics);
}

TEST(StrictClassicText, AcceptsWhatPromtoolAccepts) {
  for (const char* page : {
           "",
           "\n \t\n# anything at all\n#\n",
           "a 1\n   ",
           "\t# HELP a \\\\ \\n \\\"\n# TYPE a GAUGE\n \ta { b = \"c\" , } +Inf -12\n",
           "# TYPE a\n# HELP a\n# UNIT what-ever\na 1\n",
           "a{b=\"\\\\\\n\\\"\"}1\n",
           "{\"a.b\",\"c.d\"=\"e\"} 1\n",
           "# TYPE \"a.b\" counter\n{\"a.b\"} 1\n",
           "a 1\na 1\nb 1\na 1\n",  // duplicates and interleaving are not the parser's to see
           "# TYPE h histogram\nh_bucket{le=\"1\"} 5\nh_bucket{le=\"0.5\"} 7\n",
           "# TYPE a untyped\na nan\n",
           "# TYPE g gaugehistogram\ng_count 1\n",
       }) {
    EXPECT_EQ(classic(page), "") << page;
  }
}

TEST(StrictClassicText, RefusesWhatPromtoolRefuses) {
  for (const auto& [page, expected] : std::vector<std::pair<std::string, std::string>>{
           {"a 1", "1: the last line has no newline"},
           {"a 1 \n", "1: text after the sample"},
           {"a 1 2 \n", "1: text after the sample"},
           {"a 1\r\n", "1: text after the sample"},
           {"a -nan\n", "1: the value is not a number"},
           {"a 1\nb 0x1p-3\n", "2: the value is not a number that fits"},
           {"a 1 2.5\n", "1: not a timestamp"},
           {"a 1 # {b=\"c\"} 1\n", "1: an exemplar in classic text"},
           {"a{b=\"\\t\"} 1\n", "1: an unknown escape"},
           {"# HELP a \\t\n", "1: an unknown escape"},
           {"a{__name__=\"b\"} 1\n", "1: __name__ is reserved"},
           {"a{b=\"1\",b=\"2\"} 1\n", "1: a label twice"},
           {"a{b=\"1\" c=\"2\"} 1\n", "1: no comma between labels"},
           {"{b=\"c\",\"a\"} 1\n", "1: the name is not the first thing in the braces"},
           {"# HELP a b\n# HELP a b\n", "2: a second HELP"},
           {"# TYPE a gauge\n# TYPE a gauge\n", "2: a second TYPE, or one after samples"},
           {"a 1\n# TYPE a gauge\n", "2: a second TYPE, or one after samples"},
           {"# TYPE a info\n", "1: not a type of metric in classic text"},
           {"# TYPE a Unknown\n", "1: not a type of metric in classic text"},
           {"# TYPE a gauge \n", "1: not a type of metric in classic text"},
           {"# TYPE a-b gauge\n", "1: not a metric name after HELP, TYPE or UNIT"},
           {"# TYPE s summary\ns{quantile=\"x\"} 1\n", "2: a quantile that is not a number"},
           {"# TYPE h histogram\nh_bucket{le=\"0x1p-3\"} 1\n", "2: an le that is not a number"},
           {"# TYPE h histogram\nh_count -1\n", "2: a negative count"},
           {"a 1\nb{c=\"\xbd\"} 1\n", "2: not UTF-8"},
       }) {
    EXPECT_EQ(classic(page), expected) << page;
  }
}

TEST(StrictOpenMetrics, AcceptsGoodPages) {
  for (const char* page : {
           "",
           "# TYPE a counter\n# UNIT a \n# HELP a \na_total 1\na_created 2.5\n",
           "# TYPE \"a.b\" counter\n{\"a.b_total\",c=\"d\"} 1\n",
           "# TYPE a info\na_info{b=\"1\"} 1\na_info{b=\"2\"} 1\n",
           "# TYPE a stateset\na{a=\"x\",b=\"1\"} 0\na{a=\"y\",b=\"1\"} 1\na{a=\"x\",b=\"2\"} 1\n",
           "# TYPE a gauge\na 1 1\na 2 2\n",
           "# TYPE a histogram\na_bucket{le=\"1\"} 1 # {} 0.5 1e3\na_bucket{le=\"+Inf\"} "
           "1\na_count 1\na_sum 1\n",
       }) {
    EXPECT_EQ(open_metrics(page), "") << page;
  }
}

TEST(StrictOpenMetrics, RefusesBadPages) {
  for (const auto& [page, expected] : std::vector<std::pair<std::string, std::string>>{
           {"a 1\r\n", "1: a carriage return at the end of a line"},
           {"a 1\na 1\n", "2: a series twice"},
           {"# TYPE a counter\na 1\n", "2: a name that another family has or may use"},
           {"# TYPE a counter\na_created 1\n", "2: a counter without its total"},
           {"a 1\nb 1\na{c=\"d\"} 1\n", "3: a name that another family has or may use"},
           {"a{b=\"c\",} 1\n", "1: blanks or a comma too many among the labels"},
           {"a{b=\"c\", d=\"e\"} 1\n", "1: blanks or a comma too many among the labels"},
           {"a{b =\"c\"} 1\n", "1: blanks or a comma too many among the labels"},
           {"a {b=\"c\"} 1\n", "1: blanks before the labels"},
           {"a{b=\"c\"}  1\n", "1: not one space before the value"},
           {"a 1\t2\n", "1: not one space before the timestamp"},
           {"# TYPE a_s gauge\n# UNIT a_s ms\n", "1: the name does not end with the unit"},
           {"# TYPE a histogram\na_bucket{le=\"1\"} 1 # {} 2\n",
            "2: an exemplar beyond its bucket"},
           {"a{b=\"\xff\"} 1\n", "1: not UTF-8"},
       }) {
    EXPECT_EQ(open_metrics(page), expected) << page;
  }
  EXPECT_EQ(violation("a 1\n", TextFormat::open_metrics), "1: no # EOF at the end");
  EXPECT_EQ(violation("# EOF\n\n", TextFormat::open_metrics), "2: a line after # EOF");
}

TEST(StrictOpenMetrics, AgreesWithTheConformanceBodies) {
  const std::filesystem::path folder = testing::captures_folder() / "prometheus+OpenMetrics";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no captures: set WARPSIGHT_CAPTURES";
  int bodies = 0;
  for (const std::filesystem::path& path : testing::files_below(folder)) {
    const std::string found = violation(testing::contents(path), TextFormat::open_metrics);
    const bool bad = path.filename().string().starts_with("bad_");
    EXPECT_EQ(!found.empty(), bad) << path << " " << found;
    ++bodies;
  }
  EXPECT_GT(bodies, 100);
}

TEST(StrictClassicText, AcceptsPagesThatPrometheusWasTestedWith) {
  const std::filesystem::path folder = testing::captures_folder();
  if (folder.empty()) GTEST_SKIP() << "no captures: set WARPSIGHT_CAPTURES";
  for (const char* name :
       {"prometheus+prometheus/alltypes.237mfs.prom.txt", "prometheus+prometheus/metrics-test.prom",
        "prometheus+node_exporter/e2e-output.txt", "DataDog+integrations-core/payload.txt"}) {
    EXPECT_EQ(classic(testing::contents(folder / name)), "") << name;
  }
}

}  // namespace
}  // namespace warpsight::prometheus_text

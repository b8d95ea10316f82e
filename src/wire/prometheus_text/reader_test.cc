#include "wire/prometheus_text/reader.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "wire/prometheus_text/captures_for_test.h"
#include "wire/prometheus_text/comparison_for_test.h"

namespace warpsight::prometheus_text {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

struct Read {
  reference::Page page;
  Summary summary;
};

Read read(std::string_view body, TextFormat format = TextFormat::classic) {
  reference::Collector collector;
  const Summary summary = read_page(body, format, collector);
  return {std::move(collector.page), summary};
}

reference::Sample one(std::string_view line, TextFormat format = TextFormat::classic) {
  Read result = read(line, format);
  EXPECT_EQ(result.page.samples.size(), 1U) << line;
  return result.page.samples.empty() ? reference::Sample{} : result.page.samples[0];
}

TEST(PrometheusTextReader, TakesANameAValueAndLabels) {
  const auto bare = one("up 1\n");
  EXPECT_EQ(bare.name, "up");
  EXPECT_EQ(bare.value, 1);
  EXPECT_FALSE(bare.timestamp_ms.has_value());
  const auto labelled = one(R"(vllm:x_total{a="1",le="+Inf"} 2.5e3)");
  EXPECT_EQ(labelled.name, "vllm:x_total");
  EXPECT_THAT(labelled.labels, ElementsAre(Pair("a", "1"), Pair("le", "+Inf")));
  EXPECT_EQ(labelled.value, 2500);
}

TEST(PrometheusTextReader, TakesWhateverIsInAValue) {
  const auto sample = one(R"(a{b="}, {c=\"d\" # \\ \n \z",e=""} 1)");
  EXPECT_THAT(sample.labels, ElementsAre(Pair("b", "}, {c=\"d\" # \\ \n \\z"), Pair("e", "")));
}

TEST(PrometheusTextReader, TakesQuotedNames) {
  const auto sample = one(R"({"metric.näme","label.x"="v", plain = "w"} 7)");
  EXPECT_EQ(sample.name, "metric.näme");
  EXPECT_THAT(sample.labels, ElementsAre(Pair("label.x", "v"), Pair("plain", "w")));
  EXPECT_EQ(one(R"({a="b","late.name"} 1)").name, "late.name");
  EXPECT_EQ(one(R"({"esc\"aped"} 1)").name, "esc\"aped");
}

TEST(PrometheusTextReader, TakesBlanksWherePrometheusDoes) {
  const auto sample = one("\t a { b = \"c\" , d=\"e\" , }\t 1 \t -5  \n");
  EXPECT_THAT(sample.labels, ElementsAre(Pair("b", "c"), Pair("d", "e")));
  EXPECT_EQ(sample.timestamp_ms, -5);
  EXPECT_EQ(one("a{}3\n").value, 3);
}

TEST(PrometheusTextReader, ReadsATimestampAsTheFormatMeansIt) {
  EXPECT_EQ(one("a 1 1520879607789").timestamp_ms, 1520879607789);
  EXPECT_EQ(one("a 1 1520879607.789", TextFormat::open_metrics).timestamp_ms, 1520879607789);
  EXPECT_EQ(one("a 1 1.5e3", TextFormat::open_metrics).timestamp_ms, 1500000);
  EXPECT_EQ(one("a 1 12345678901234567890.1", TextFormat::open_metrics).timestamp_ms, INT64_MAX);
  EXPECT_EQ(read("a 1 1.5\n").summary.bad_lines, 1U);
  EXPECT_EQ(read("a 1 NaN\n", TextFormat::open_metrics).summary.bad_lines, 1U);
}

TEST(PrometheusTextReader, TakesUnitForACommentInClassicText) {
  EXPECT_EQ(read("# UNIT a#b c\n").summary.bad_lines, 0U);
  EXPECT_EQ(read("# UNIT a#b c\n", TextFormat::open_metrics).summary.bad_lines, 1U);
  EXPECT_EQ(read("# HELP a#b c\n").summary.bad_lines, 1U);
}

TEST(PrometheusTextReader, KeepsAnExemplarForWhoWantsIt) {
  struct Handler {
    std::string exemplar;
    void sample(const SampleView& sample) { exemplar = sample.reading.exemplar; }
  } handler;
  read_page("a_bucket{le=\"1\"} 3 5.5 # {trace_id=\"a } # b\"} 0.67 1520879607.789\r\n",
            TextFormat::open_metrics, handler);
  SampleView exemplar;
  ASSERT_EQ(read_exemplar(handler.exemplar, exemplar), Problem::none);
  EXPECT_EQ(exemplar.labels, "trace_id=\"a } # b\"");
  EXPECT_EQ(exemplar.reading.value, 0.67);
  EXPECT_EQ(exemplar.reading.timestamp_ms, 1520879607789);
  for (const char* bad :
       {"#", "# {", "# {}", "# {a=\"b\"}", "# {\"n\"} 1", "# {} 1 1 1", "# {} x"}) {
    EXPECT_NE(read_exemplar(bad, exemplar), Problem::none) << bad;
  }
}

TEST(PrometheusTextReader, ReadsMetadata) {
  struct Handler {
    std::vector<std::string> lines;
    void sample(const SampleView&) {}
    void type(const Metadata& m) { lines.push_back("type " + std::string(m.family)); }
    void help(const Metadata& m) { lines.push_back("help " + std::string(m.text)); }
    void unit(const Metadata& m) { lines.push_back("unit " + std::string(m.text)); }
  } handler;
  const Summary summary = read_page(
      "# HELP a what\\nit is \r\n#TYPE a Counter\n# TYPE a gaugehistogram \n# UNIT a_s s\n"
      "# TYPE \"b c\" stateset\n# just words\n#\n# HELP\n# TYPE a\n# EOF\n",
      TextFormat::open_metrics, handler);
  EXPECT_THAT(handler.lines,
              ElementsAre("help what\\nit is ", "type a", "type a", "unit s", "type b c"));
  EXPECT_EQ(summary.bad_lines, 0U);
  EXPECT_TRUE(summary.eof);
  EXPECT_EQ(summary.lines, 10U);
}

TEST(PrometheusTextReader, LeavesABadLineOutAndSaysWhich) {
  const Read result = read(
      "good 1\n"
      "9bad 1\n"
      "\n"
      "a{b=\"c\"d=\"e\"} 1\r\n"
      "a{b=\"c} 1\n"
      "a{b=c} 1\n"
      "# TYPE a nothing\n"
      "a one\n"
      "a 1 2 3\n"
      "{b=\"c\"} 1\n"
      "a{b=\"\xff\x00\"} 2");
  EXPECT_EQ(result.page.samples.size(), 1U) << "the last line is cut short at its NUL";
  EXPECT_EQ(result.summary.bad_lines, 9U);
  std::vector<std::pair<uint64_t, Problem>> noted;
  for (const BadLine& line : result.summary.first_bad)
    noted.emplace_back(line.number, line.problem);
  EXPECT_THAT(noted,
              ElementsAre(Pair(2, Problem::bad_name), Pair(4, Problem::missing_comma),
                          Pair(5, Problem::bad_label_value), Pair(6, Problem::bad_label_value),
                          Pair(7, Problem::unknown_type), Pair(8, Problem::bad_value),
                          Pair(9, Problem::trailing_text), Pair(10, Problem::no_name)));
}

TEST(PrometheusTextReader, TakesBytesThatAreNoText) {
  const std::string body("a{b=\"\xff\0\"} 2\n", 13);
  EXPECT_THAT(one(body).labels, ElementsAre(Pair("b", std::string("\xff\0", 2))));
}

TEST(PrometheusTextReader, KnowsANativeHistogramWhenItSeesOne) {
  const Read result = read("h {count:24,sum:100,schema:0}\nh{a=\"b\"} {count:24}\n");
  EXPECT_EQ(result.summary.bad_lines, 2U);
  EXPECT_EQ(result.summary.first_bad[0].problem, Problem::composite_value);
}

TEST(PrometheusTextReader, ReadsNothingBehindTheBody) {
  const std::string whole =
      "aaaaaaaaaaaaaaaaaaaa{bbbbbbbbbbbbbbbbbbb=\"cccccccccccccccccccccc\"} 12345 6 # {";
  for (size_t size = 0; size <= whole.size(); ++size) {
    const std::vector<char> exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string_view body(exact.data(), exact.size());
    EXPECT_EQ(reference::difference(body, TextFormat::classic), "") << body;
  }
}

TEST(PrometheusTextReader, AgreesWithTheReferenceOnDamagedPages) {
  const std::string page =
      "# HELP a_b c \\n\n# TYPE a_b histogram\na_b_bucket{le=\"0.1\",x=\"y\\\"z\"} 1 5 # {t=\"u\"} "
      "1\r\n"
      "{\"q.r\", s = \"t\",} -1.5e-3\n# EOF\n";
  const std::string bytes = "\"\\{}=,# \t\r\n0a_:.+-eN\x80\xff";
  for (size_t at = 0; at < page.size(); ++at) {
    std::string shorter = page;
    shorter.erase(at, 1);
    EXPECT_EQ(reference::difference(shorter, TextFormat::classic), "") << shorter;
    for (const char byte : bytes) {
      std::string damaged = page;
      damaged[at] = byte;
      EXPECT_EQ(reference::difference(damaged, TextFormat::open_metrics), "") << damaged;
      damaged.insert(at, 1, page[at]);
      EXPECT_EQ(reference::difference(damaged, TextFormat::classic), "") << damaged;
    }
  }
}

TEST(PrometheusTextReader, GetsEverySampleOfRealPages) {
  const std::filesystem::path folder = testing::captures_folder();
  if (folder.empty()) GTEST_SKIP() << "no captures: set WARPSIGHT_CAPTURES";
  const std::vector<testing::CountedPage> pages = testing::counted_pages(folder);
  EXPECT_GT(pages.size(), 50U);
  for (const testing::CountedPage& page : pages) {
    const TextFormat format = page.eof ? TextFormat::open_metrics : TextFormat::classic;
    const std::string body = testing::contents(page.path);
    const Summary summary = read(body, format).summary;
    // Excerpts in documentation have "..." and commands between their lines, which were counted.
    const bool excerpt = body.find("\n...\n") != std::string::npos;
    EXPECT_GE(summary.samples + (excerpt ? summary.bad_lines : 0), page.samples) << page.path;
    EXPECT_LE(summary.samples, page.samples) << page.path;
  }
}

TEST(PrometheusTextReader, AgreesWithTheReferenceOnWhateverWasCaptured) {
  const std::filesystem::path folder = testing::captures_folder();
  if (folder.empty()) GTEST_SKIP() << "no captures: set WARPSIGHT_CAPTURES";
  for (const std::filesystem::path& path : testing::files_below(folder)) {
    const std::string body = testing::contents(path);
    EXPECT_EQ(reference::difference(body, TextFormat::classic), "") << path;
    EXPECT_EQ(reference::difference(body, TextFormat::open_metrics), "") << path;
  }
}

}  // namespace
}  // namespace warpsight::prometheus_text

#include "sinks/otlp/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "runtime/log.h"
#include "sinks/otlp/encoded_pairs.h"
#include "sinks/otlp/otlp_sink.h"

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

using Variables = std::map<std::string, std::string>;

EnvironmentLookup lookup(const Variables& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

class OtelEnvironment : public ::testing::Test {
 protected:
  Result<> apply(const Variables& variables) {
    return apply_otel_environment(options_, lookup(variables));
  }
  Options options_ = Options::defaults(otlp_sink_options());
};

TEST_F(OtelEnvironment, WithoutVariablesNothingChanges) {
  ASSERT_TRUE(apply({{"OTEL_EXPORTER_OTLP_ENDPOINT", ""}}));
  EXPECT_EQ(options_, Options::defaults(otlp_sink_options()));
}

TEST_F(OtelEnvironment, EachVariableSetsItsOption) {
  const struct {
    const char* variable;
    const char* value;
    std::string_view option;
    std::string_view displayed;
  } kCases[] = {
      {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318", "endpoint", "http://c:4318"},
      {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://m", "metrics_endpoint", "http://m"},
      {"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "http://l", "logs_endpoint", "http://l"},
      {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "protocol", "grpc"},
      {"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/json", "protocol", "http/json"},
      {"OTEL_EXPORTER_OTLP_COMPRESSION", "none", "compression", "none"},
      {"OTEL_EXPORTER_OTLP_METRICS_COMPRESSION", "zstd", "compression", "zstd"},
      {"OTEL_EXPORTER_OTLP_TIMEOUT", "2500", "timeout", "2500ms"},
      {"OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "3000", "timeout", "3s"},
      {"OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca.pem", "tls.ca", "/ca.pem"},
      {"OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE", "/m.pem", "tls.ca", "/m.pem"},
      {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "/c.pem", "tls.certificate", "/c.pem"},
      {"OTEL_EXPORTER_OTLP_CLIENT_KEY", "/k.pem", "tls.key", "/k.pem"},
      {"OTEL_EXPORTER_OTLP_INSECURE", "TRUE", "insecure", "true"},
      {"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "Delta", "temporality", "delta"},
      {"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION",
       "base2_exponential_bucket_histogram", "histograms", "exponential"},
      {"OTEL_METRIC_EXPORT_INTERVAL", "60000", "interval", "1m"},
      {"OTEL_LOGS_EXPORTER", "none", "logs", "false"},
  };
  for (const auto& c : kCases) {
    Options options = Options::defaults(otlp_sink_options());
    ASSERT_TRUE(apply_otel_environment(options, lookup({{c.variable, c.value}}))) << c.variable;
    EXPECT_EQ(options.display(c.option), c.displayed) << c.variable;
  }
}

TEST_F(OtelEnvironment, TheConfigWinsAndMetricsWinOverAllSignals) {
  ASSERT_TRUE(options_.set("endpoint", "http://config"));
  ASSERT_TRUE(options_.set("timeout", "7s"));
  ASSERT_TRUE(apply({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://env"},
                     {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://env-metrics"},
                     {"OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "1000"},
                     {"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"},
                     {"OTEL_EXPORTER_OTLP_METRICS_COMPRESSION", "none"},
                     {"OTEL_EXPORTER_OTLP_HEADERS", "a=1"},
                     {"OTEL_EXPORTER_OTLP_METRICS_HEADERS", "b=2"}}));
  EXPECT_EQ(options_.text("endpoint"), "http://config");
  EXPECT_EQ(options_.text("metrics_endpoint"), "");
  EXPECT_EQ(options_.duration("timeout"), std::chrono::seconds{7});
  EXPECT_EQ(options_.text("compression"), "none");
  EXPECT_THAT(options_.secret_map("headers"), ElementsAre(Pair("b", "2")));
}

TEST_F(OtelEnvironment, AnEndpointEnables) {
  const struct {
    Variables variables;
    bool enabled;
  } kCases[] = {
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}}, true},
      {{{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://c"}}, true},
      {{{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "http://c"}}, false},
      {{{"OTEL_EXPORTER_OTLP_TIMEOUT", "1000"}}, false},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, {"OTEL_SDK_DISABLED", "True"}}, false},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, {"OTEL_METRICS_EXPORTER", "none"}}, false},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, {"OTEL_METRICS_EXPORTER", "otlp"}}, true},
  };
  for (const auto& [variables, enabled] : kCases) {
    Options options = Options::defaults(otlp_sink_options());
    ASSERT_TRUE(apply_otel_environment(options, lookup(variables)));
    EXPECT_EQ(options.flag("enabled"), enabled) << variables.rbegin()->first;
  }
  ASSERT_TRUE(options_.set("enabled", "false"));
  ASSERT_TRUE(apply({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}}));
  EXPECT_FALSE(options_.flag("enabled")) << "the config said no";
}

TEST_F(OtelEnvironment, ABadValueNamesItsVariable) {
  const std::pair<const char*, const char*> kCases[] = {
      {"OTEL_EXPORTER_OTLP_TIMEOUT", "10s"},
      {"OTEL_EXPORTER_OTLP_TIMEOUT", "99999999999999999999"},
      {"OTEL_EXPORTER_OTLP_TIMEOUT", "-1"},
      {"OTEL_METRIC_EXPORT_INTERVAL", "soon"},
      {"OTEL_EXPORTER_OTLP_PROTOCOL", "carrier-pigeon"},
      {"OTEL_EXPORTER_OTLP_METRICS_COMPRESSION", "rar"},
      {"OTEL_EXPORTER_OTLP_INSECURE", "perhaps"},
      {"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "eternal"},
      {"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", "sketch"},
      {"OTEL_EXPORTER_OTLP_HEADERS", "secret-without-equals"},
      {"OTEL_EXPORTER_OTLP_METRICS_HEADERS", "k=secret%0d%0aevil: 1"},
      {"OTEL_EXPORTER_OTLP_METRICS_HEADERS", "k=secret%zz"},
      {"OTEL_EXPORTER_OTLP_METRICS_HEADERS", "bad name=secret"},
  };
  for (const auto& [variable, value] : kCases) {
    const Result<> applied = apply({{variable, value}});
    ASSERT_FALSE(applied) << variable << "=" << value;
    EXPECT_THAT(applied.error().message, HasSubstr(variable));
    EXPECT_THAT(describe(applied.error()), Not(HasSubstr("secret")));
  }
}

TEST(OtelResource, IsAListWithTheServiceNameOnTop) {
  const auto attributes = resource_from_environment(
      lookup({{"OTEL_RESOURCE_ATTRIBUTES", "service.name=old, team = a%2Cb%20c ,x="},
              {"OTEL_SERVICE_NAME", "new"}}));
  ASSERT_EQ(attributes.size(), 3U);
  EXPECT_EQ(attributes[0].key, "service.name");
  EXPECT_EQ(attributes[0].value, "new");
  EXPECT_EQ(attributes[1].value, "a,b c");
  EXPECT_EQ(attributes[2].value, "");
  EXPECT_TRUE(resource_from_environment(lookup({})).empty());
}

TEST(OtelResource, AListWithOneBadPairIsIgnored) {
  for (const char* bad : {"a=1,b", "=1", "a=%4", "a=%", "a=%g0"}) {
    const LogCapture log;
    const auto attributes = resource_from_environment(
        lookup({{"OTEL_RESOURCE_ATTRIBUTES", bad}, {"OTEL_SERVICE_NAME", "s"}}));
    ASSERT_EQ(attributes.size(), 1U) << bad;
    EXPECT_EQ(attributes[0].key, "service.name");
    EXPECT_TRUE(log.contains("OTEL_RESOURCE_ATTRIBUTES")) << bad;
  }
}

TEST(EncodedPairs, LastOfAKeyCounts) {
  const auto pairs = otlp::parse_encoded_pairs("a=1,,b=x=y,a=%e2%82%ac,");
  ASSERT_TRUE(pairs);
  EXPECT_THAT(*pairs, ElementsAre(Pair("a", "€"), Pair("b", "x=y")));
  EXPECT_TRUE(otlp::parse_encoded_pairs("")->empty());
}

}  // namespace
}  // namespace warpsight

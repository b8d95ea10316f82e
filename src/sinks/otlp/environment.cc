#include "sinks/otlp/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "net/http_header.h"
#include "runtime/log.h"
#include "sinks/otlp/encoded_pairs.h"

namespace warpsight {
namespace {

using Text = Result<std::string>;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

Text as_it_is(std::string_view value) { return std::string(value); }

Text in_lower_case(std::string_view value) { return lower(value); }

Text milliseconds(std::string_view value) {
  if (value.find_first_not_of("0123456789") != std::string_view::npos) {
    return fail(fmt::format("\"{}\" is no number of milliseconds", value), "write it as 10000");
  }
  return fmt::format("{}ms", value);
}

Text histogram_form(std::string_view value) {
  const std::string name = lower(value);
  if (name == "explicit_bucket_histogram") return "explicit";
  if (name == "base2_exponential_bucket_histogram") return "exponential";
  return fail(fmt::format("\"{}\" is no aggregation of histograms", value),
              "use explicit_bucket_histogram or base2_exponential_bucket_histogram");
}

// One option and the variables that may state it, the most specific first.
struct Source {
  std::string_view option;
  const char* specific;
  const char* general;  // nullptr: there is none
  Text (*translate)(std::string_view);
};

constexpr Source kSources[] = {
    {"endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT", nullptr, as_it_is},
    {"metrics_endpoint", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", nullptr, as_it_is},
    {"logs_endpoint", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", nullptr, as_it_is},
    {"protocol", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL",
     in_lower_case},
    {"compression", "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION", "OTEL_EXPORTER_OTLP_COMPRESSION",
     in_lower_case},
    {"timeout", "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT", milliseconds},
    {"insecure", "OTEL_EXPORTER_OTLP_METRICS_INSECURE", "OTEL_EXPORTER_OTLP_INSECURE",
     in_lower_case},
    {"tls.ca", "OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE",
     as_it_is},
    {"tls.certificate", "OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE",
     "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", as_it_is},
    {"tls.key", "OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY", "OTEL_EXPORTER_OTLP_CLIENT_KEY", as_it_is},
    {"temporality", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", nullptr, in_lower_case},
    {"histograms", "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", nullptr,
     histogram_form},
    {"interval", "OTEL_METRIC_EXPORT_INTERVAL", nullptr, milliseconds},
};

class Environment {
 public:
  explicit Environment(const EnvironmentLookup& lookup) : lookup_(lookup) {}

  std::optional<std::string> value(const char* name) const {
    if (name == nullptr) return std::nullopt;
    auto found = lookup_(name);
    if (found && found->empty()) return std::nullopt;
    return found;
  }
  bool says(const char* name, std::string_view word) const {
    const auto found = value(name);
    return found && lower(*found) == word;
  }

 private:
  const EnvironmentLookup& lookup_;
};

tl::unexpected<Error> about(const char* variable, const Error& error) {
  return fail(fmt::format("{}: {}", variable, error.message), error.hint);
}

Result<> apply(Options& options, const Environment& environment, const Source& source) {
  if (options.given(source.option)) return {};
  const char* variable = source.specific;
  auto value = environment.value(variable);
  if (!value) {
    variable = source.general;
    value = environment.value(variable);
  }
  if (!value) return {};
  const Text text = source.translate(*value);
  if (!text) return about(variable, text.error());
  if (const auto set = options.set(source.option, *text); !set) return about(variable, set.error());
  return {};
}

Result<> apply_headers(Options& options, const Environment& environment) {
  if (options.given("headers")) return {};
  for (const char* variable :
       {"OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"}) {
    const auto value = environment.value(variable);
    if (!value) continue;
    auto headers = otlp::parse_encoded_pairs(*value);
    const bool sound = headers && std::ranges::all_of(*headers, [](const auto& header) {
                         return is_header_name(header.first) && is_header_value(header.second);
                       });
    if (!sound) {
      return fail(fmt::format("{} is not a list of headers", variable),
                  "write name=value,other=value, with %2C for a comma in a value");
    }
    return options.set_map("headers", std::move(*headers));
  }
  return {};
}

Result<> apply_switches(Options& options, const Environment& environment) {
  const bool off = environment.says("OTEL_SDK_DISABLED", "true") ||
                   environment.says("OTEL_METRICS_EXPORTER", "none");
  const bool endpoint = environment.value("OTEL_EXPORTER_OTLP_ENDPOINT") ||
                        environment.value("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
  if (endpoint && !off && !options.given("enabled")) {
    if (const auto set = options.set("enabled", "true"); !set) return set;
  }
  if (environment.says("OTEL_LOGS_EXPORTER", "none") && !options.given("logs")) {
    return options.set("logs", "false");
  }
  return {};
}

}  // namespace

Result<> apply_otel_environment(Options& options, const EnvironmentLookup& lookup) {
  const Environment environment(lookup);
  // An address from the config is for all signals: no variable leads some of them elsewhere.
  const bool configured = options.given("endpoint");
  for (const Source& source : kSources) {
    if (configured && source.option.ends_with("_endpoint")) continue;
    if (const auto applied = apply(options, environment, source); !applied) return applied;
  }
  if (const auto applied = apply_headers(options, environment); !applied) return applied;
  return apply_switches(options, environment);
}

std::vector<Attribute> resource_from_environment(const EnvironmentLookup& lookup) {
  const Environment environment(lookup);
  std::vector<Attribute> attributes;
  if (const auto list = environment.value("OTEL_RESOURCE_ATTRIBUTES")) {
    auto pairs = otlp::parse_encoded_pairs(*list);
    if (!pairs) {
      log_warn("OTEL_RESOURCE_ATTRIBUTES is ignored: it is not a list of key=value",
               {{"hint", "separate pairs by commas, write %2C for a comma in a value"}});
      pairs.emplace();
    }
    for (auto& [key, value] : *pairs) attributes.push_back({std::move(key), std::move(value)});
  }
  if (auto name = environment.value("OTEL_SERVICE_NAME")) {
    const auto known = std::ranges::find(attributes, "service.name", &Attribute::key);
    if (known == attributes.end()) {
      attributes.push_back({"service.name", std::move(*name)});
    } else {
      known->value = std::move(*name);
    }
  }
  return attributes;
}

}  // namespace warpsight

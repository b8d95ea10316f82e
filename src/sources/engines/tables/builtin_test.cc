#include "sources/engines/tables/builtin.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "core/window_rules.h"
#include "sources/engines/tables/table.h"
#include "tests/places.h"
#include "wire/prometheus_text/captures_for_test.h"

namespace warpsight::engines {
namespace {

using ::testing::IsSupersetOf;

const EngineTables& builtin() {
  static const auto tables = EngineTables::load();
  if (!tables) throw std::runtime_error(describe(tables.error()));
  return *tables;
}

// What is known of engines and peers, where this machine has it; empty elsewhere.
std::filesystem::path reference_folder() {
  const char* named = std::getenv("WARPSIGHT_REFERENCE");
  const std::filesystem::path folder =
      named != nullptr ? std::filesystem::path(named)
                       : std::filesystem::path(WARPSIGHT_SOURCE_DIR) / "../shared/reference";
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

// The first fields of each row; enough where none of them is quoted.
std::vector<std::vector<std::string>> rows_of(const std::filesystem::path& file, size_t fields) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string>& row = rows.emplace_back();
    size_t begin = 0;
    while (row.size() < fields && begin <= line.size()) {
      const size_t end = std::min(line.find(',', begin), line.size());
      row.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    row.resize(fields);
  }
  return rows;
}

std::string_view without(std::string_view text, std::string_view suffix) {
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

TEST(Builtin, TablesLoadUnderTheirFilesNames) {
  std::vector<std::string> names;
  for (const BuiltinTable& text : builtin_tables()) {
    const auto table = parse_table(text.yaml, text.name);
    ASSERT_TRUE(table) << describe(table.error());
    EXPECT_EQ(table->name, text.name);
    EXPECT_FALSE(table->paths.empty()) << text.name;
    EXPECT_FALSE(table->ports.empty()) << text.name;
    EXPECT_FALSE(table->prefixes.empty() && table->signs.empty()) << text.name;
    EXPECT_FALSE(table->key_names.empty()) << text.name;
    names.push_back(table->name);
  }
  EXPECT_THAT(names, IsSupersetOf({"vllm", "sglang", "tgi", "triton", "nim", "ray", "trtllm",
                                   "dynamo", "lmdeploy", "llamacpp", "dcgm"}));
}

TEST(Builtin, CommonNamesHaveTheKindOfTheCatalogue) {
  for (const EngineTable& table : builtin().all()) {
    for (const MetricRule& rule : table.metrics) {
      for (const auto& metric : {rule.common, rule.own}) {
        if (!metric) continue;
        EXPECT_EQ(rule.kind, row(*metric).kind) << rule.from.front();
        EXPECT_TRUE(row(*metric).produced) << rule.from.front();
      }
    }
  }
}

// A common series written by two rules is added up: nothing may be told twice.
TEST(Builtin, NoUpstreamNameFeedsACommonSeriesTwice) {
  for (const EngineTable& table : builtin().all()) {
    std::set<std::string> seen;
    for (const MetricRule& rule : table.metrics) {
      if (!rule.common) continue;
      std::string conditions;
      for (const auto& [key, value] : rule.where) conditions += key + "=" + value + ";";
      for (const std::string& from : rule.from) {
        const std::string entry = fmt::format("{} {} {}", from, conditions, row(*rule.common).name);
        EXPECT_TRUE(seen.insert(entry).second) << table.name << ": " << entry;
      }
    }
  }
}

TEST(Builtin, NamesThatMeanSomethingElseElsewhere) {
  const auto common_of = [](std::string_view engine, std::string_view from) {
    std::string names;
    for (const MetricRule& rule : builtin().find(engine)->metrics) {
      const bool about = std::ranges::find(rule.from, from) != rule.from.end();
      if (about && rule.common)
        names += (names.empty() ? "" : " ") + std::string(row(*rule.common).name);
    }
    return names;
  };
  EXPECT_EQ(common_of("vllm", "vllm:time_per_output_token_seconds"), "llm.itl");
  EXPECT_EQ(common_of("vllm", "vllm:request_time_per_output_token_seconds"), "llm.tpot");
  EXPECT_EQ(common_of("nim", "time_per_output_token_seconds"), "llm.itl");
  EXPECT_EQ(common_of("trtllm", "time_per_output_token_seconds"), "llm.tpot");
  EXPECT_EQ(common_of("lmdeploy", "lmdeploy:iter_token_latency"), "llm.itl");
  EXPECT_EQ(common_of("tgi", "tgi_request_mean_time_per_token_duration"), "llm.tpot");
  EXPECT_EQ(common_of("dcgm", "DCGM_FI_DEV_XID_ERRORS"), "gpu.xid.last_error_code");
}

TEST(Builtin, UnitsAreOurs) {
  const auto scale_of = [](std::string_view engine, std::string_view from) {
    for (const MetricRule& rule : builtin().find(engine)->metrics) {
      if (std::ranges::find(rule.from, from) != rule.from.end()) return rule.scale;
    }
    return 0.0;
  };
  EXPECT_EQ(scale_of("dcgm", "DCGM_FI_DEV_GPU_UTIL"), 0.01);
  EXPECT_EQ(scale_of("dcgm", "DCGM_FI_DEV_FB_USED"), 1048576);
  EXPECT_EQ(scale_of("dcgm", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"), 1e-3);
  EXPECT_EQ(scale_of("dcgm", "DCGM_FI_DEV_SM_CLOCK"), 1e6);
  EXPECT_EQ(scale_of("dcgm", "DCGM_FI_PROF_SM_ACTIVE"), 1);
  EXPECT_EQ(scale_of("triton", "nv_inference_request_duration_us"), 1e-6);
  EXPECT_EQ(scale_of("ray", "ray_serve_http_request_latency_ms"), 1e-3);
}

TEST(Builtin, RanksAndReExportsOfVllm) {
  const EngineTable& vllm = *builtin().find("vllm");
  EXPECT_EQ(vllm.label("engine")->to, "llm.engine.index");
  EXPECT_TRUE(vllm.label("engine")->rank);
  EXPECT_EQ(vllm.label("model")->to, "model.name");
  ASSERT_EQ(vllm.re_exports.size(), 2U);
  for (const ReExport& re_export : vllm.re_exports) {
    EXPECT_EQ(re_export.via, "ray");
    EXPECT_EQ(re_export.stands_for, "vllm:");
    EXPECT_EQ(re_export.labels.at(0).to, "llm.replica");
  }
  EXPECT_EQ(builtin().find("sglang")->label("tp_rank")->common_only, "0");
  EXPECT_EQ(builtin().find("sglang")->label("priority")->common_only, "");
}

TEST(Builtin, NamesBetrayVllmsRelease) {
  const std::string_view names[] = {"vllm:num_requests_running", "vllm:kv_cache_usage_perc",
                                    "vllm:gpu_cache_usage_perc"};
  const VersionSpan span = betrayed_version(*builtin().find("vllm"), names);
  EXPECT_EQ(span.since, "0.9.2");
  EXPECT_EQ(span.until, "0.11.2");
}

// DCGM's own field names beyond what its exporter has by default.
const std::set<std::string_view> kFurtherDcgmFields = {
    "DCGM_FI_DEV_FB_TOTAL",         "DCGM_FI_DEV_VIDEO_CLOCK",
    "DCGM_FI_DEV_FAN_SPEED",        "DCGM_FI_DEV_ROW_REMAP_PENDING",
    "DCGM_FI_PROF_NVLINK_TX_BYTES", "DCGM_FI_PROF_NVLINK_RX_BYTES"};

// Types on the wire that are not what the value is.
const std::set<std::string_view> kMistyped = {
    "lmdeploy:num_requests_succeeded", "lmdeploy:num_requests_failed",  // totals in gauges
    "llamacpp:n_tokens_max", "llamacpp:n_past_max",                     // high-water marks
};

TEST(Builtin, UpstreamNamesExist) {
  const auto folder = reference_folder();
  if (folder.empty()) GTEST_SKIP() << "no reference folder beside the source tree";
  std::map<std::string, std::string, std::less<>> types;
  for (const auto& row : rows_of(folder / "engine_names.csv", 3)) types[row[1]] = row[2];
  ASSERT_GT(types.size(), 700U);
  for (const auto& row : rows_of(folder / "dcgm_4_6_field_renames.csv", 3)) {
    types.try_emplace(row[1], "");
    types.try_emplace(row[2], "");
  }
  for (const EngineTable& table : builtin().all()) {
    const bool dcgm = table.subject == Subject::gpu;
    for (const MetricRule& rule : table.metrics) {
      for (const std::string& from : rule.from) {
        if (dcgm && (from.starts_with("dcgm_") || kFurtherDcgmFields.contains(from))) continue;
        auto known = types.find(from);
        if (known == types.end()) known = types.find("trtllm_" + from);
        const bool sum = known == types.end() && from.ends_with("_sum");
        if (sum) known = types.find(without(from, "_sum"));
        if (known == types.end()) {
          ADD_FAILURE() << table.name << ": nothing is known of " << from;
          continue;
        }
        const std::string wire = sum ? "counter" : known->second;
        if (dcgm || rule.kind == MetricKind::info || kMistyped.contains(from)) continue;
        EXPECT_EQ(wire, to_string(rule.kind)) << from;
      }
    }
    for (const std::string& sign : table.signs) {
      const std::string family(without(sign, "_count"));
      EXPECT_TRUE(types.contains(family) || types.contains("trtllm_" + family)) << sign;
    }
  }
}

// Names of the peer's that nothing upstream stands behind.
const std::map<std::string, std::string_view> kNothingUpstream = {
    {"vllm.cache.evictions", "vLLM counts no evictions"},
    {"nim.batch.size", "NIM tells no batch size"},
};

TEST(Builtin, NamesThatUsersOfThePeerKnowAreThere) {
  const auto folder = reference_folder();
  if (folder.empty()) GTEST_SKIP() << "no reference folder beside the source tree";
  const std::set<std::string> engines = {"VllmMetrics", "SGLangMetrics", "TGIMetrics",
                                         "TritonMetrics", "NimMetrics"};
  std::set<std::string> written;
  for (const EngineTable& table : builtin().all()) {
    for (const MetricRule& rule : table.metrics) {
      if (rule.own) written.emplace(row(*rule.own).name);
    }
  }
  for (const WindowRule& rule : window_rules()) written.emplace(row(rule.to).name);
  int known = 0;
  for (const auto& row : rows_of(folder / "peer_l9gpu_metrics.csv", 3)) {
    if (!engines.contains(row[0]) || row[2].empty()) continue;
    EXPECT_NE(written.contains(row[2]), kNothingUpstream.contains(row[2])) << row[2];
    ++known;
  }
  EXPECT_GT(known, 70);
}

struct RealPage {
  std::string_view engine, file;
};

TEST(Builtin, RealPagesHaveTheKeyNames) {
  const auto folder = prometheus_text::testing::captures_folder();
  if (folder.empty()) GTEST_SKIP() << "no captures beside the source tree";
  constexpr RealPage kPages[] = {{"vllm", "vllm_metrics.txt"},
                                 {"nim", "nim_metrics.txt"},
                                 {"triton", "nvidia_triton_openmetrics.txt"},
                                 {"dcgm", "dcgm_metrics.txt"}};
  for (const auto& [engine, file] : kPages) {
    const std::string page =
        "\n" + prometheus_text::testing::contents(folder / "DataDog+integrations-core" / file);
    const auto is_there = [&](const std::string& name) {
      return page.find("\n" + name + "{") != std::string::npos ||
             page.find("\n" + name + "_bucket{") != std::string::npos;
    };
    const EngineTable& table = *builtin().find(engine);
    for (const std::string& key : table.key_names) {
      const Metric metric = *find_metric(key);
      const bool found = std::ranges::any_of(table.metrics, [&](const MetricRule& rule) {
        return (rule.own == metric || rule.common == metric) &&
               std::ranges::any_of(rule.from, is_there);
      });
      EXPECT_TRUE(found) << key << " of " << file;
    }
  }
}

}  // namespace
}  // namespace warpsight::engines

// What docs/api.md shows is what the interface answers: the same keys, no more and no less.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/places.h"
#include "ui/api/alerts_json.h"
#include "ui/api/api_test_node.h"
#include "ui/api/events_json.h"
#include "ui/api/json_document_test.h"
#include "ui/api/latest_json.h"
#include "ui/api/live_message.h"
#include "ui/api/series_json.h"

namespace warpsight {
namespace {

using namespace std::chrono_literals;
namespace dom = simdjson::dom;

// The document under a heading that begins so.
std::string example(std::string_view heading) {
  std::ifstream file(std::string(WARPSIGHT_SOURCE_DIR) + "/docs/api.md");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  const std::string begin = "```json\n";
  const size_t place = all.find("\n## " + std::string(heading));
  const size_t first = all.find(begin, place);
  if (place == std::string::npos || first == std::string::npos) return "";
  return all.substr(first + begin.size(), all.find("```", first + 1) - first - begin.size());
}

bool is_map(std::string_view key) {
  return key == "attributes" || key == "values" || key == "latency" || key == "node";
}

// Keys of objects, of the first of each list; maps from names to values are not looked into.
std::string shape(const dom::element& value) {
  dom::object object;
  dom::array array;
  if (value.get(array) == simdjson::SUCCESS) {
    return array.size() == 0 ? "[]" : "[" + shape(array.at(0)) + "]";
  }
  if (value.get(object) != simdjson::SUCCESS) return "";
  std::map<std::string, std::string> members;
  for (const auto& [key, member] : object) {
    members.emplace(key, is_map(key) ? "" : shape(member));
  }
  std::string out = "{";
  for (const auto& [key, member] : members) out += key + member + " ";
  return out + "}";
}

std::string shape_of(const std::string& text) {
  dom::parser parser;
  dom::element top;
  if (parser.parse(text).get(top) != simdjson::SUCCESS) return "not JSON: " + text;
  return shape(top);
}

class ApiContract : public ::testing::Test {
 protected:
  test::ApiNode node_;
  std::string out_;
};

TEST_F(ApiContract, Now) {
  const EntityId gpu = node_.gpu("0", "GPU-a");
  node_.process(gpu, "4711", "python3");
  const EntityId engine = node_.entities_.intern(
      EntityKind::engine, kNoEntity, {{"llm.engine", "vllm"}, {"server.address", "a:1"}});
  node_.entities_.intern(EntityKind::model, engine, {{"model.name", "m"}});
  node_.engine_gpus_ = {{"a:1", {"GPU-a"}}};
  identity::DeviceOwners owners;
  owners.attributes = {{"gpu.uuid", "GPU-a"}};
  owners.owners.emplace_back();
  node_.owners_.devices.push_back(owners);
  for (const char* state : {"expected", "seen", "lost"}) {
    node_.add(Metric::gpu_devices, node_.facet(kNoEntity, {{"gpu.state", state}}), 1);
  }
  node_.tell("gpu.xid", Severity::error, gpu, "XID 79");
  node_.publish();
  Alert alert = test::firing_alert();
  append_now_json(out_, {node_.registry_, node_.entities_, node_.basics_, node_.owners_,
                         std::span(&alert, 1), node_.engine_gpus_});
  EXPECT_EQ(shape_of(out_), shape_of(example("/api/v1/now")));
}

TEST_F(ApiContract, Latest) {
  node_.add(Metric::gpu_power_draw, node_.gpu("0", "GPU-a"), 1);
  node_.publish();
  append_latest_json(out_, latest_values(node_.registry_, {}), {}, node_.entities_);
  EXPECT_EQ(shape_of(out_), shape_of(example("/api/v1/latest")));
}

TEST_F(ApiContract, Series) {
  SeriesAnswer answer;
  answer.steps = 1;
  answer.step = 10s;
  answer.rows.push_back({"gpu.power.draw", "W", MetricKind::gauge, {}, {1}});
  append_series_json(out_, {}, answer);
  EXPECT_EQ(shape_of(out_), shape_of(example("/api/v1/series")));
}

TEST_F(ApiContract, Events) {
  append_events_json(out_, {{{node_.clock_.now(), "gpu.xid", Severity::error, "", {}}}, false});
  EXPECT_EQ(shape_of(out_), shape_of(example("/api/v1/events")));
}

TEST_F(ApiContract, Alerts) {
  alerts::Rule rule;
  rule.conditions.push_back({.term = {"gpu.temperature"}});
  alerts::Silences silences;
  const Time now = node_.clock_.now();
  ASSERT_TRUE(silences.add({{"a", {"b"}}}, now + 1h, "", now));
  append_alerts_json(out_, {{}, std::span(&rule, 1), silences, now});
  EXPECT_EQ(shape_of(out_), shape_of(example("/api/v1/alerts")));
}

}  // namespace
}  // namespace warpsight

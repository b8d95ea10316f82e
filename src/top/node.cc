#include "top/node.h"

#include <algorithm>
#include <utility>

#include "net/foreign_text.h"
#include "wire/json_text.h"

namespace warpsight::top {
namespace {

constexpr size_t kLongestName = 256;
constexpr size_t kLongestMessage = 1000;
constexpr size_t kMostItems = 4096;   // of a list
constexpr size_t kMostMembers = 256;  // of an object
constexpr size_t kLongestDocument = size_t{32} << 20;

std::string name_of(Json value) { return printable_beginning(value.text(), kLongestName); }
std::string message_of(Json value) { return printable_beginning(value.text(), kLongestMessage); }
bool truth_of(Json value) { return value.boolean().value_or(false); }

template <typename Item>
std::vector<Item> list_of(Json list, Item (*read)(Json)) {
  std::vector<Item> out;
  list.for_each([&](Json item) {
    if (out.size() < kMostItems) out.push_back(read(item));
  });
  return out;
}

Values values_of(Json object) {
  Values out;
  object.for_each_member([&](std::string_view key, Json value) {
    const auto number = value.number();
    if (number && out.size() < kMostMembers) {
      out.emplace(printable_beginning(key, kLongestName), *number);
    }
  });
  return out;
}

Texts texts_of(Json object) {
  Texts out;
  object.for_each_member([&](std::string_view key, Json value) {
    if (out.size() < kMostMembers) {
      out.emplace(printable_beginning(key, kLongestName), name_of(value));
    }
  });
  return out;
}

Owner read_owner(Json json) {
  return {.name = name_of(json["name"]),
          .kind = name_of(json["kind"]),
          .tenant = name_of(json["tenant"]),
          .held = truth_of(json["held"]),
          .since = json["since"].number(),
          .utilization = json["utilization"].number(),
          .memory = json["memory"].number(),
          .busy = json["busy"].number(),
          .energy = json["energy"].number()};
}

Process read_process(Json json) {
  return {.pid = name_of(json["pid"]),
          .name = name_of(json["name"]),
          .owner = name_of(json["owner"]),
          .memory = json["memory"].number(),
          .utilization = json["utilization"].number()};
}

Gpu read_gpu(Json json) {
  return {.id = name_of(json["id"]),
          .mig = json["kind"].text() == "mig",
          .parent = name_of(json["parent"]),
          .index = name_of(json["index"]),
          .model = name_of(json["model"]),
          .attributes = texts_of(json["attributes"]),
          .values = values_of(json["values"]),
          .owners = list_of(json["owners"], read_owner),
          .processes = list_of(json["processes"], read_process),
          .alerts = list_of(json["alerts"], name_of)};
}

ServedModel read_model(Json json) {
  ServedModel model{
      .name = name_of(json["name"]), .values = values_of(json["values"]), .latency = {}};
  json["latency"].for_each_member([&](std::string_view key, Json quantiles) {
    if (model.latency.size() < kMostMembers) {
      model.latency.emplace(printable_beginning(key, kLongestName), values_of(quantiles));
    }
  });
  return model;
}

Engine read_engine(Json json) {
  return {.id = name_of(json["id"]),
          .name = name_of(json["engine"]),
          .version = name_of(json["version"]),
          .up = truth_of(json["up"]),
          .error = message_of(json["error"]),
          .gpus = list_of(json["gpus"], name_of),
          .models = list_of(json["models"], read_model)};
}

NodeAlert read_alert(Json json) {
  return {.id = name_of(json["id"]),
          .name = name_of(json["name"]),
          .state = name_of(json["state"]),
          .severity = name_of(json["severity"]),
          .since = json["since"].number(),
          .fired = json["fired"].number(),
          .resolved = json["resolved"].number(),
          .summary = message_of(json["summary"]),
          .attributes = texts_of(json["attributes"]),
          .silenced = truth_of(json["silenced"])};
}

NodeEvent read_event(Json json) {
  return {.time = json["time"].number(),
          .name = name_of(json["name"]),
          .severity = name_of(json["severity"]),
          .message = message_of(json["message"]),
          .attributes = texts_of(json["attributes"])};
}

}  // namespace

std::optional<double> find_value(const Values& values, std::string_view name) {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  return found->second;
}

std::optional<double> Gpu::usage() const {
  for (const std::string_view metric : kUsageMetrics) {
    if (const auto told = value(metric)) return told;
  }
  return std::nullopt;
}

std::optional<double> Gpu::memory_share() const {
  const auto used = value("gpu.memory.used");
  const auto total = value("gpu.memory.total");
  if (!used || !total || *total <= 0) return std::nullopt;
  return *used / *total;
}

std::optional<double> ServedModel::quantile(std::string_view latency_name,
                                            std::string_view q) const {
  const auto found = latency.find(latency_name);
  if (found == latency.end()) return std::nullopt;
  return find_value(found->second, q);
}

const Gpu* Node::gpu(std::string_view id) const {
  const auto found = std::ranges::find(gpus, id, &Gpu::id);
  return found == gpus.end() ? nullptr : &*found;
}

size_t Node::alerts_in(std::string_view state) const {
  return static_cast<size_t>(std::ranges::count_if(
      alerts, [&](const NodeAlert& alert) { return alert.state == state && !alert.silenced; }));
}

size_t Node::whole_gpus() const {
  return static_cast<size_t>(std::ranges::count(gpus, false, &Gpu::mig));
}

Result<Node> parse_node(std::string_view json) {
  JsonText text(kLongestDocument);
  const auto top = text.parse(json);
  if (!top) return tl::unexpected(top.error());
  const Json& now = *top;
  if (!now["gpus"].is_array()) {
    return fail("the answer tells of no node", "is it a Warpsight agent that answers there?");
  }
  return Node{.time = now["time"].number(),
              .interval = now["interval"].number(),
              .host = name_of(now["host"]),
              .version = name_of(now["version"]),
              .uptime = now["uptime"].number(),
              .simulated = truth_of(now["simulated"]),
              .scenario = name_of(now["scenario"]),
              .gpus = list_of(now["gpus"], read_gpu),
              .engines = list_of(now["engines"], read_engine),
              .values = values_of(now["node"]),
              .devices_expected = now["devices"]["expected"].number(),
              .devices_lost = now["devices"]["lost"].number(),
              .alerts = list_of(now["alerts"], read_alert),
              .events = list_of(now["events"], read_event)};
}

}  // namespace warpsight::top

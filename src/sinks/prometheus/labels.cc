#include "sinks/prometheus/labels.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "sinks/prometheus/page_format.h"
#include "wire/prometheus_name.h"

namespace warpsight {
namespace {

struct Label {
  std::string key;
  std::string name;
  std::string value;
};

}  // namespace

void append_labels(std::string& out, const EntityTable& entities, EntityId entity,
                   const MetricRow& row) {
  std::vector<Label> labels;
  const auto add = [&](std::string_view key, std::string_view value) {
    std::string name = prometheus_label(key);
    const auto known = std::ranges::find(labels, name, &Label::name);
    if (known == labels.end()) {
      labels.push_back({std::string(key), std::move(name), std::string(value)});
    } else if (known->key == key) {
      known->value = value;
    } else {
      known->value.append(";").append(value);
    }
  };
  entities.for_each_attribute(entity, add);
  for_each_constant_attribute(row, add);

  const size_t before = out.size();
  out += '{';
  for (const Label& label : labels) {
    if (!label.value.empty()) append_label(out, label.name, label.value);
  }
  out += '}';
  if (out.size() == before + 2) out.resize(before);
}

}  // namespace warpsight

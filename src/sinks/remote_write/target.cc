#include "sinks/remote_write/target.h"

#include <algorithm>
#include <string>

#include "wire/prometheus_name.h"
#include "wire/utf8.h"

namespace warpsight {
namespace {

constexpr std::string_view kMetricName = "__name__";

bool is_label_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_part);
}

std::string as_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Part part = next_utf8(text);
    out.append(part.valid ? text.substr(0, part.size) : kUtf8Replacement);
    text.remove_prefix(part.size);
  }
  return out;
}

// Unless there is one of that name, or nothing to say.
void add_label(std::vector<Label>& labels, std::string_view name, std::string_view value) {
  if (value.empty() || std::ranges::find(labels, name, &Label::name) != labels.end()) return;
  labels.push_back({std::string(name), as_utf8(value)});
}

std::string_view value_of(std::span<const Attribute> resource, std::string_view key) {
  const auto found = std::ranges::find(resource, key, &Attribute::key);
  return found == resource.end() ? std::string_view{} : std::string_view(found->value);
}

}  // namespace

Result<RemoteTarget> make_remote_target(const Options& options,
                                        std::span<const Attribute> resource) {
  std::vector<Label> common;
  const std::string& instance = options.text("instance");
  add_label(common, "job", options.text("job"));
  add_label(common, "instance", instance.empty() ? value_of(resource, "host.name") : instance);
  add_label(common, "simulated", value_of(resource, "simulated"));
  for (const std::string& key : options.list("resource_labels")) {
    add_label(common, prometheus_label(key), value_of(resource, key));
  }
  for (const auto& [name, value] : options.map("external_labels")) {
    if (!is_label_name(name) || name == kMetricName) {
      return fail("external_labels: \"" + name + "\" is not the name of a label",
                  "use letters, digits and underscores, no digit first");
    }
    add_label(common, name, value);
  }
  std::vector<Label> info;
  for (const Attribute& a : resource) add_label(info, prometheus_label(a.key), a.value);
  return RemoteTarget{std::move(common), std::move(info)};
}

std::vector<Label> complete_labels(std::string_view metric_name, std::vector<Label> own,
                                   std::span<const Label> common) {
  for (Label& label : own) label.value = as_utf8(label.value);
  add_label(own, kMetricName, metric_name);
  for (const Label& label : common) add_label(own, label.name, label.value);
  std::ranges::sort(own, {}, &Label::name);
  return own;
}

}  // namespace warpsight

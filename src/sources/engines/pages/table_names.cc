#include "sources/engines/pages/table_names.h"

#include <optional>

namespace warpsight::engines {
namespace {

// nullopt: the other server does not re-export it.
std::optional<std::string> name_on_page(std::string_view name, const ReExport* via) {
  if (via == nullptr) return std::string(name);
  if (!name.starts_with(via->stands_for)) return std::nullopt;
  return via->prefix + std::string(name.substr(via->stands_for.size()));
}

}  // namespace

std::string_view without_total(std::string_view name) {
  constexpr std::string_view kTotal = "_total";
  return name.ends_with(kTotal) ? name.substr(0, name.size() - kTotal.size()) : name;
}

TableNames::TableNames(const EngineTable& table, const ReExport* via) {
  // Ray has a counter twice: as a counter, and, without the suffix, as a gauge.
  std::vector<std::pair<std::string, NameUse>> last_resort;
  for (uint32_t index = 0; index < table.metrics.size(); ++index) {
    const MetricRule& rule = table.metrics[index];
    uint16_t candidate = 0;
    for (const std::string& from : rule.from) {
      const auto name = name_on_page(from, via);
      if (name) add(rule, *name, {index, candidate, Part::value});
      if (name && via != nullptr && without_total(*name) != *name) {
        const auto after_all = static_cast<uint16_t>(rule.from.size() + candidate);
        last_resort.emplace_back(without_total(*name), NameUse{index, after_all, Part::value});
      }
      ++candidate;
    }
  }
  std::erase_if(last_resort, [&](const auto& item) { return uses_.contains(item.first); });
  for (const auto& [name, use] : last_resort) uses_[name].push_back(use);
}

void TableNames::add(const MetricRule& rule, const std::string& name, NameUse use) {
  const auto put = [&](const std::string& sample, Part part) {
    uses_[sample].push_back({use.rule, use.candidate, part});
  };
  if (rule.kind == MetricKind::histogram) {
    put(name + "_bucket", Part::bucket);
    put(name + "_sum", Part::sum);
    put(name + "_count", Part::count);
    put(name + "_created", Part::created);
    return;
  }
  put(name, Part::value);
  if (rule.kind == MetricKind::counter) {
    put(std::string(without_total(name)) + "_created", Part::created);
  }
}

std::span<const NameUse> TableNames::find(std::string_view name) const {
  const auto found = uses_.find(name);
  if (found == uses_.end()) return {};
  return found->second;
}

}  // namespace warpsight::engines

#include "sources/engines/pages/series_binder.h"

#include <algorithm>
#include <optional>

#include "sources/engines/pages/histogram_assembly.h"

namespace warpsight::engines {
namespace {

constexpr std::string_view kModelName = "model.name";

bool passes(const SeriesText& series, const MetricRule& rule) {
  return std::ranges::all_of(rule.where, [&](const auto& condition) {
    return series.value_of(condition.first) == condition.second;
  });
}

bool lists(const MetricRow& row, std::string_view key) {
  bool found = false;
  for_each_token(row.attributes, ';', [&](std::string_view attribute) {
    found = found || attribute.substr(0, attribute.find('=')) == key;
  });
  return found;
}

double count_items(std::string_view list) {
  double items = 0;
  for_each_token(list, ',', [&](std::string_view) { ++items; });
  return items;
}

Standing standing_of(const TableOnPage& table) {
  if (table.table->role == Role::gateway) return Standing::gateway;
  return table.via == nullptr ? Standing::engine : Standing::re_export;
}

// The first of a key counts.
void put(std::vector<AttributeView>& attributes, std::string_view key, std::string_view value) {
  if (std::ranges::find(attributes, key, &AttributeView::key) == attributes.end()) {
    attributes.push_back({key, value});
  }
}

// nullopt: a bucket whose bound is no number or of no use.
std::optional<double> number_of(const SeriesText& series, const MetricRule& rule, Part part) {
  if (!rule.count_items.empty()) return count_items(series.value_of(rule.count_items));
  return part == Part::bucket ? bound_of(series) : 0;
}

}  // namespace

void SeriesBinder::bind(SeriesId id, const SeriesText& series, const NameMeaning& meaning,
                        Bindings& out) {
  bool ruled = false;
  for (const NameUse& name : meaning.uses) {
    const Use use{*meaning.table, meaning.table->table->metrics[name.rule]};
    const auto number = number_of(series, use.rule, name.part);
    if (!number || !passes(series, use.rule)) continue;
    if (!ruled) apply_label_rules(series, use.table);
    ruled = true;

    const bool histogram = use.rule.kind == MetricKind::histogram;
    Binding binding{.series = id,
                    .slot = kNone,
                    .group = series.identity(histogram ? kBoundLabel : std::string_view()),
                    .rule = out.rule(&use.rule, use.table.via, use.rule.scale),
                    .candidate = name.candidate,
                    .part = name.part,
                    .number = *number};
    for (const uint32_t slot : {own_slot(use, out), common_slot(use, out)}) {
      binding.slot = slot;
      if (slot != kNone) out.add(binding);
    }
  }
}

// In the order of the rules, so that the same things are called the same whatever the page's order.
void SeriesBinder::apply_label_rules(const SeriesText& series, const TableOnPage& table) {
  labels_.clear();
  const auto is_ruled = [&](std::string_view label) {
    return std::ranges::find(labels_, label, &Ruled::label) != labels_.end();
  };
  const auto apply = [&](std::span<const LabelRule> rules) {
    for (const LabelRule& rule : rules) {
      const std::string_view value = series.value_of(rule.from);
      if (!value.empty() && !is_ruled(rule.from)) labels_.push_back({&rule, rule.from, value});
    }
  };
  if (table.via != nullptr) apply(table.via->labels);
  apply(table.table->labels);
  for (const auto& [label, value] : series.labels()) {
    if (!is_ruled(label)) labels_.push_back({nullptr, label, value});
  }
}

void SeriesBinder::describe_own(const Use& use) {
  telling_.clear();
  facet_.clear();
  for (const auto& [key, value] : use.rule.attributes) put(facet_, key, value);
  const bool histogram = use.rule.kind == MetricKind::histogram;
  const bool items = !use.rule.count_items.empty();
  for (const auto& [rule, label, value] : labels_) {
    // The other labels of a list are a message too, and another one with each change.
    if (items && (rule == nullptr || label == use.rule.count_items)) continue;
    if (histogram && label == kBoundLabel) continue;
    if (rule != nullptr && rule->to.empty()) continue;
    // What the metric's name says already.
    if (std::ranges::find(use.rule.where, label, &Condition::first) != use.rule.where.end())
      continue;
    const bool tells = rule != nullptr && rule->tells_subject;
    put(tells ? telling_ : facet_, rule == nullptr ? label : rule->to, value);
  }
}

bool SeriesBinder::describe_common(const Use& use, const MetricRow& common) {
  telling_.clear();
  facet_.clear();
  for (const auto& [key, value] : use.rule.attributes) put(facet_, key, value);
  for (const auto& [rule, label, value] : labels_) {
    if (rule != nullptr && rule->common_only) {
      if (value != *rule->common_only) return false;
      continue;
    }
    if (rule != nullptr && (rule->to.empty() || (rule->rank && settings_.merge_ranks))) continue;
    const std::string_view key = rule == nullptr ? label : std::string_view(rule->to);
    if (rule != nullptr && rule->tells_subject) {
      put(telling_, key, value);
    } else if (lists(common, key) && label != use.rule.count_items) {
      put(facet_, key, value);
    }
  }
  return true;
}

bool SeriesBinder::told_by_another(const Use& use) {
  const EntityId subject = subjects_.subject(*use.table.table, use.table.via_name(), telling_);
  return subject && !subjects_.owned(subject);
}

EntityId SeriesBinder::make_entity(const Use& use) {
  const EntityId subject = subjects_.subject(*use.table.table, use.table.via_name(), telling_);
  if (!subject || facet_.empty()) return subject;
  return entities_.intern(EntityKind::facet, subject, facet_);
}

uint32_t SeriesBinder::own_slot(const Use& use, Bindings& out) {
  if (!settings_.own || !use.rule.own) return kNone;
  describe_own(use);
  const EntityId entity = make_entity(use);
  if (!entity) return kNone;
  return out.slot({.metric = *use.rule.own,
                   .entity = entity,
                   .kind = use.rule.kind,
                   .across = use.rule.across,
                   .items = !use.rule.count_items.empty()});
}

uint32_t SeriesBinder::common_slot(const Use& use, Bindings& out) {
  const auto& metric = use.rule.common;
  if (!settings_.common || !metric || !describe_common(use, row(*metric))) return kNone;
  if (use.rule.whole && told_by_another(use)) return kNone;
  const EntityId entity = make_entity(use);
  if (!entity) return kNone;
  const auto model = std::ranges::find(telling_, kModelName, &AttributeView::key);
  const bool claimed = use.table.table->subject == Subject::model && model != telling_.end();
  return out.slot({.metric = *metric,
                   .entity = entity,
                   .kind = use.rule.kind,
                   .across = use.rule.across,
                   .items = !use.rule.count_items.empty(),
                   .model = claimed ? out.model(model->value, standing_of(use.table)) : kNone});
}

}  // namespace warpsight::engines

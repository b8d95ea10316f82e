#include "analysis/gen_ai_names.h"

#include <algorithm>
#include <vector>

namespace warpsight {
namespace {

struct Copy {
  Metric from;
  Metric to;
};
constexpr Copy kCopies[] = {
    {Metric::llm_request_latency, Metric::gen_ai_server_request_duration},
    {Metric::llm_ttft, Metric::gen_ai_server_time_to_first_token},
    {Metric::llm_tpot, Metric::gen_ai_server_time_per_output_token},
};

// Under these names in both: what tells the models of an engine apart, and that they are made up.
constexpr std::string_view kKept[] = {
    "model.version", "llm.engine.index", "llm.dp_rank", "llm.replica", "simulated",
};

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

class AttributeList {
 public:
  void add(std::string_view key, std::string value) {
    const bool there = std::ranges::any_of(list_, [&](const Attribute& a) { return a.key == key; });
    if (!value.empty() && !there) list_.push_back({std::string(key), std::move(value)});
  }

  std::vector<AttributeView> views() const {
    std::vector<AttributeView> views;
    views.reserve(list_.size());
    for (const Attribute& a : list_) views.push_back({a.key, a.value});
    return views;
  }

 private:
  std::vector<Attribute> list_;
};

}  // namespace

ServerAddress split_server_address(std::string_view text) {
  constexpr size_t kNone = std::string_view::npos;
  const size_t colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  const bool path = text.find('/') != kNone;
  const std::string_view before = text.substr(0, colon);
  const bool plain_host = bracketed ? before.ends_with(']') : before.find(':') == kNone;
  const bool has_port = colon != kNone && !path && plain_host && is_number(text.substr(colon + 1));

  std::string_view host = has_port ? before : text;
  if (bracketed && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {std::string(host), has_port ? std::string(text.substr(colon + 1)) : std::string()};
}

void GenAiNames::run(const View& view, Batch& out) {
  out.begin(view.now(), std::chrono::seconds{1});
  for (auto& [bits, target] : targets_) target.seen = false;
  for (auto& [bits, metrics] : told_) metrics = 0;
  for (size_t i = 0; i < std::size(kCopies); ++i) {
    view.for_each(kCopies[i].from, [&](const Series& series) {
      const Histogram* histogram = view.histogram_of(series);
      const EntityId entity = target_of(series.entity).entity;
      if (histogram == nullptr || !entity) return;
      uint8_t& told = told_[entity.bits];
      const auto bit = static_cast<uint8_t>(1U << i);
      if ((told & bit) != 0) return;
      told |= bit;
      out.add_histogram(kCopies[i].to, entity, histogram->bounds, histogram->counts, histogram->sum,
                        series.start);
    });
  }
  end_unseen(out);
}

GenAiNames::Target& GenAiNames::target_of(EntityId source) {
  Target& target = targets_[source.bits];
  target.seen = true;
  if (!target.entity) target.entity = make_entity(source);
  return target;
}

EntityId GenAiNames::make_entity(EntityId source) const {
  const auto ours = [&](std::string_view key) { return entities_.attribute(source, key); };
  const auto [address, port] = split_server_address(ours("server.address"));
  const std::string operation = ours(".operation");

  AttributeList attributes;
  attributes.add("gen_ai.provider.name", ours(".provider"));
  attributes.add("gen_ai.provider.name", ours("llm.engine"));
  attributes.add("gen_ai.request.model", ours("model.name"));
  attributes.add("gen_ai.operation.name", operation.empty() ? "chat" : operation);
  attributes.add("server.address", address);
  attributes.add("server.port", port);
  for (const std::string_view key : kKept) attributes.add(key, ours(key));
  for (Entity part = entities_.get(source); part.kind == EntityKind::facet && part.parent;
       part = entities_.get(part.parent)) {
    for (const Attribute& a : part.attributes) {
      if (!is_private(a.key)) attributes.add(a.key, a.value);
    }
  }
  return entities_.intern(EntityKind::facet, kNoEntity, attributes.views());
}

void GenAiNames::end_unseen(Batch& out) {
  std::erase_if(targets_, [](const auto& item) { return !item.second.seen; });
  std::erase_if(told_, [&](const auto& item) {
    if (item.second == 0) out.gone.push_back(EntityId{item.first});
    return item.second == 0;
  });
}

}  // namespace warpsight

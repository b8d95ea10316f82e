#include "analysis/xid_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "analysis/xid_codes.h"

namespace warpsight {
namespace {

constexpr std::string_view kRaw = "gpu.xid.raw";
constexpr std::string_view kFallenOffBus = "gpu.fallen_off_bus.raw";
constexpr unsigned kFallenOffBusCode = 79;

constexpr Duration kSame = std::chrono::seconds{2};
// One source may be read well after another; beyond this nobody reports late.
constexpr Duration kRemembered = std::chrono::minutes{1};
constexpr size_t kMaxRemembered = 256;
constexpr Duration kRecent = std::chrono::minutes{10};  // of gpu.xid.recent
constexpr size_t kMaxGpus = 256;
constexpr size_t kMaxCodes = 64;  // of one GPU
constexpr size_t kMaxSources = 32;

bool is_raw(const Event& event) { return event.name == kRaw || event.name == kFallenOffBus; }

bool is_history(const Event& event) { return event.attribute("history") == "true"; }

std::optional<unsigned> code_in(const Event& raw) {
  if (raw.name == kFallenOffBus) return kFallenOffBusCode;
  const std::string_view text = raw.attribute("gpu.xid.code");
  unsigned code = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), code);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return code;
}

std::string_view class_of(unsigned code) {
  const XidCode* known = find_xid(code);
  return known == nullptr ? "unknown" : to_string(known->fault);
}

bool is_at(const Entity& entity, std::string_view address) {
  return std::ranges::any_of(entity.attributes, [&](const Attribute& attribute) {
    return attribute.key == ".pci" && attribute.value == address;
  });
}

}  // namespace

void XidLedger::absorb(std::vector<Event>& events, Batch& out) {
  for (const Event& event : events) {
    if (is_raw(event)) take(event, out);
  }
  std::erase_if(events, is_raw);
  std::ranges::move(finished_, std::back_inserter(out.events));
  finished_.clear();
}

void XidLedger::take(const Event& raw, Batch& out) {
  const auto code = code_in(raw);
  if (!code) {
    ++uncounted_;
    return;
  }
  const std::string address = address_of(raw);
  if (is_history(raw)) {
    finished_.push_back(finish(raw, *code, address, find_entity(address)));
    return;
  }
  Gpu* gpu = address.empty() ? nullptr : gpu_at(address);
  if (gpu == nullptr) {
    ++uncounted_;
    finished_.push_back(finish(raw, *code, address, raw.entity));
    return;
  }
  std::string source(raw.attribute("source"));
  // The driver says in two lines that a GPU fell off the bus: as good as two witnesses.
  if (raw.name == kFallenOffBus) source += " without a code";
  if (enter(*gpu, *code, raw.time, source_bit(source))) {
    resolve(*gpu, out);
    finished_.push_back(finish(raw, *code, address, gpu->entity));
  }
}

bool XidLedger::enter(Gpu& gpu, unsigned code, Time time, uint32_t source) {
  Code* entry = code_of(gpu, code);
  if (entry == nullptr) {
    ++uncounted_;
    return true;
  }
  std::vector<Occurrence>& recent = entry->recent;
  for (Occurrence& occurrence : recent) {
    const Duration apart = std::chrono::abs(time - occurrence.time);
    if (apart > kSame || (occurrence.sources & source) != 0) continue;
    occurrence.sources |= source;
    return false;
  }
  std::erase_if(recent, [&](const Occurrence& o) { return time - o.time > kRemembered; });
  if (recent.size() == kMaxRemembered) recent.erase(recent.begin());
  recent.push_back({time, source});
  ++entry->count;
  note_class(gpu, code, time);
  if (time >= gpu.last_time) {
    gpu.last_time = time;
    gpu.last_code = code;
  }
  return true;
}

Event XidLedger::finish(const Event& raw, unsigned code, std::string_view address,
                        EntityId entity) const {
  const XidCode* known = find_xid(code);
  Event event{raw.time, "gpu.xid", known == nullptr ? Severity::warning : known->severity,
              entity,   {},        {}};
  event.message =
      known == nullptr
          ? fmt::format("XID {}: not a code Warpsight knows; see the driver's message", code)
          : fmt::format("XID {}: {} (usually {}); {}", code, known->meaning,
                        to_string(known->fault), known->action);
  event.attributes = {{"gpu.xid.code", std::to_string(code)}};
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) event.attributes.push_back({std::string(key), std::string(value)});
  };
  add("gpu.pci.address", address);
  if (known != nullptr) add("gpu.xid.fault", to_string(known->fault));
  add("gpu.xid.message", raw.message);
  for (const std::string_view key :
       {"gpu.mig.instance_id", "process.pid", "process.name", "source", "history"}) {
    add(key, raw.attribute(key));
  }
  return event;
}

std::string XidLedger::address_of(const Event& raw) const {
  const std::string_view said = raw.attribute("gpu.pci.address");
  return said.empty() ? entities_.attribute(raw.entity, ".pci") : std::string(said);
}

XidLedger::Gpu* XidLedger::gpu_at(const std::string& address) {
  const auto found = std::ranges::find(gpus_, address, &Gpu::address);
  if (found != gpus_.end()) return &*found;
  if (gpus_.size() == kMaxGpus) return nullptr;
  gpus_.push_back({address, kNoEntity, false, 0, {}, {}, {}});
  return &gpus_.back();
}

XidLedger::Code* XidLedger::code_of(Gpu& gpu, unsigned code) {
  const auto found = std::ranges::find(gpu.codes, code, &Code::code);
  if (found != gpu.codes.end()) return &*found;
  if (gpu.codes.size() == kMaxCodes) return nullptr;
  gpu.codes.push_back({code, 0, kNoEntity, {}});
  return &gpu.codes.back();
}

uint32_t XidLedger::source_bit(std::string_view name) {
  auto found = std::ranges::find(sources_, name);
  if (found == sources_.end()) {
    if (sources_.size() == kMaxSources) return 1U << (kMaxSources - 1);
    found = sources_.insert(sources_.end(), std::string(name));
  }
  return 1U << (found - sources_.begin());
}

EntityId XidLedger::find_entity(std::string_view address) const {
  EntityId found;
  if (address.empty()) return found;
  entities_.for_each(EntityKind::gpu, [&](EntityId id, const Entity& entity) {
    if (is_at(entity, address)) found = id;
  });
  return found;
}

void XidLedger::resolve(Gpu& gpu, Batch& out) {
  const bool alive = entities_.alive(gpu.entity);
  if (alive && !gpu.stand_in) return;
  const EntityId real = find_entity(gpu.address);
  if (alive && !real) return;
  if (alive) out.gone.push_back(gpu.entity);
  gpu.stand_in = !real;
  gpu.entity = real
                   ? real
                   : entities_.intern(EntityKind::gpu, kNoEntity,
                                      {{"gpu.vendor", "nvidia"}, {"gpu.pci.address", gpu.address}});
  for (Code& code : gpu.codes) code.facet = kNoEntity;
  for (Class& errors : gpu.classes) errors.facet = kNoEntity;
}

void XidLedger::note_class(Gpu& gpu, unsigned code, Time time) {
  const std::string_view name = class_of(code);
  auto found = std::ranges::find(gpu.classes, name, &Class::name);
  if (found == gpu.classes.end()) found = gpu.classes.insert(found, {name, kNoEntity, {}});
  if (found->recent.size() == kMaxRemembered) found->recent.erase(found->recent.begin());
  found->recent.push_back(time);
}

void XidLedger::publish_classes(Gpu& gpu, Time now, Batch& out) {
  for (Class& errors : gpu.classes) {
    if (!errors.facet) {
      errors.facet =
          entities_.intern(EntityKind::facet, gpu.entity, {{"gpu.xid.class", errors.name}});
    }
    std::erase_if(errors.recent, [&](Time time) { return now - time > kRecent; });
    if (!errors.facet) continue;
    out.add(Metric::gpu_xid_recent, errors.facet, static_cast<double>(errors.recent.size()), now);
  }
}

void XidLedger::publish(Time now, Batch& out) {
  for (Gpu& gpu : gpus_) {
    resolve(gpu, out);
    if (!gpu.entity) continue;
    for (Code& code : gpu.codes) {
      if (!code.facet) {
        code.facet = entities_.intern(EntityKind::facet, gpu.entity,
                                      {{"gpu.xid.code", std::to_string(code.code)}});
      }
      if (!code.facet) continue;
      out.add(Metric::gpu_xid_errors, code.facet, static_cast<double>(code.count), now);
    }
    publish_classes(gpu, now, out);
    out.add(Metric::gpu_xid_last_error_code, gpu.entity, gpu.last_code, now);
    out.add(Metric::gpu_xid_last_error_time, gpu.entity, to_unix_seconds(gpu.last_time), now);
  }
}

}  // namespace warpsight

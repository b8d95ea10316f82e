#include "runtime/probe_wire.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace warpsight::probe {
namespace {

static_assert(sizeof(Point) == 24 && std::is_trivially_copyable_v<Point>);

constexpr size_t kMaxText = size_t{64} * 1024;

template <typename T>
void put(std::string& out, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void put_text(std::string& out, std::string_view text) {
  text = text.substr(0, kMaxText);
  put(out, static_cast<uint32_t>(text.size()));
  out.append(text);
}

void put_attributes(std::string& out, const std::vector<Attribute>& attributes) {
  put(out, static_cast<uint16_t>(attributes.size()));
  for (const Attribute& a : attributes) {
    put_text(out, a.key);
    put_text(out, a.value);
  }
}

// Reads what put() wrote. After the first value that does not fit everything reads as zero and
// ok() is false, so a decoder checks once at the end of each list.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T get() {
    T value{};
    if (bytes_.size() < sizeof(T)) return stop(value);
    bytes_.copy(reinterpret_cast<char*>(&value), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    return value;
  }

  std::string_view text() {
    const auto length = get<uint32_t>();
    if (length > kMaxText || length > bytes_.size()) return stop(std::string_view{});
    const std::string_view value = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return value;
  }

  // A list's length; 0 when that many elements of at least `smallest` bytes cannot follow.
  size_t count(size_t smallest) {
    const auto n = get<uint32_t>();
    if (n > bytes_.size() / smallest) return stop(size_t{0});
    return n;
  }

  bool ok() const { return ok_; }
  bool done() const { return ok_ && bytes_.empty(); }

 private:
  template <typename T>
  T stop(T value) {
    ok_ = false;
    bytes_ = {};
    return value;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

std::vector<Attribute> get_attributes(Cursor& in) {
  std::vector<Attribute> attributes(std::min<size_t>(in.get<uint16_t>(), 256));
  for (Attribute& a : attributes) {
    a.key = in.text();
    a.value = in.text();
  }
  return attributes;
}

std::vector<std::string> get_texts(Cursor& in) {
  std::vector<std::string> texts(in.count(sizeof(uint32_t)));
  for (std::string& text : texts) text = in.text();
  return texts;
}

void put_texts(std::string& out, const std::vector<std::string>& texts) {
  put(out, static_cast<uint32_t>(texts.size()));
  for (const std::string& text : texts) put_text(out, text);
}

bool valid(Metric metric) { return static_cast<size_t>(metric) < catalogue().size(); }

tl::unexpected<Error> malformed(std::string_view what) {
  return fail("probe sent a malformed " + std::string(what));
}

}  // namespace

void append_frame(FrameType type, std::string_view payload, std::string& out) {
  put(out, static_cast<uint32_t>(payload.size() + 1));
  put(out, type);
  out.append(payload);
}

std::string encode_start(const Start& start) {
  std::string out;
  put_text(out, start.root);
  put_text(out, start.state_dir);
  put_text(out, start.simulate);
  put_texts(out, start.skip_devices);
  put_texts(out, start.only_devices);
  put(out, static_cast<uint32_t>(start.options.size()));
  for (const auto& [name, value] : start.options) {
    put_text(out, name);
    put_text(out, value);
  }
  return out;
}

Result<Start> decode_start(std::string_view payload) {
  Cursor in(payload);
  Start start;
  start.root = in.text();
  start.state_dir = in.text();
  start.simulate = in.text();
  start.skip_devices = get_texts(in);
  start.only_devices = get_texts(in);
  start.options.resize(in.count(2 * sizeof(uint32_t)));
  for (auto& [name, value] : start.options) {
    name = in.text();
    value = in.text();
  }
  if (!in.done()) return malformed("start");
  return start;
}

char* FrameReader::room(size_t want) {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + want) buffer_.resize(end_ + want);
  return buffer_.data() + end_;
}

Result<bool> FrameReader::next(Frame& frame) {
  const std::string_view waiting(buffer_.data() + begin_, end_ - begin_);
  uint32_t length = 0;
  if (waiting.size() < sizeof(length)) return false;
  std::memcpy(&length, waiting.data(), sizeof(length));
  if (length == 0 || length > kMaxFrame) return malformed("frame length");
  if (waiting.size() < sizeof(length) + length) return false;
  begin_ += sizeof(length) + length;
  frame.type = static_cast<FrameType>(waiting[sizeof(length)]);
  frame.payload = waiting.substr(sizeof(length) + 1, length - 1);
  return true;
}

void BatchEncoder::introduce(EntityId id, std::string& out) {
  const uint32_t slot = entity_index(id);
  if (slot < introduced_.size() && introduced_[slot] == id.bits) return;
  const Entity entity = entities_.get(id);
  if (entity.parent) introduce(entity.parent, out);
  if (slot >= introduced_.size()) introduced_.resize(slot + 64);
  introduced_[slot] = id.bits;
  ++introductions_;
  put(out, id.bits);
  put(out, entity.parent.bits);
  put(out, entity.kind);
  put_attributes(out, entity.attributes);
}

void BatchEncoder::encode(const Batch& batch, const Result<>& outcome, std::string& out) {
  const size_t frame = out.size();
  put(out, uint32_t{0});  // length, filled in at the end
  put(out, FrameType::reply);
  put(out, static_cast<uint8_t>(outcome.has_value()));
  if (!outcome) {
    put_text(out, outcome.error().message);
    put_text(out, outcome.error().hint);
  }

  const size_t count_at = out.size();
  introductions_ = 0;
  put(out, uint32_t{0});
  for (const Point& point : batch.points) introduce(point.entity, out);
  for (const Missing& missing : batch.absences) introduce(missing.entity, out);
  for (const Event& event : batch.events) {
    if (event.entity) introduce(event.entity, out);
  }
  std::memcpy(out.data() + count_at, &introductions_, sizeof(introductions_));

  put(out, static_cast<uint32_t>(batch.points.size()));
  for (const Point& point : batch.points) put(out, point);

  put(out, static_cast<uint32_t>(batch.absences.size()));
  for (const Missing& missing : batch.absences) {
    put(out, missing.metric);
    put(out, missing.why);
    put(out, missing.entity.bits);
    put_text(out, missing.detail);
  }
  put(out, static_cast<uint32_t>(batch.events.size()));
  for (const Event& event : batch.events) {
    put(out, event.time);
    put(out, event.severity);
    put(out, event.entity.bits);
    put_text(out, event.name);
    put_text(out, event.message);
    put_attributes(out, event.attributes);
  }
  put(out, static_cast<uint32_t>(batch.gone.size()));
  for (const EntityId gone : batch.gone) put(out, gone.bits);

  const auto length = static_cast<uint32_t>(out.size() - frame - sizeof(uint32_t));
  std::memcpy(out.data() + frame, &length, sizeof(length));
  for (const EntityId gone : batch.gone) entities_.remove(gone, [](EntityId) {});
}

EntityId BatchDecoder::translate(uint32_t theirs) const {
  const uint32_t slot = entity_index(EntityId{theirs});
  return slot < map_.size() && map_[slot].theirs == theirs ? map_[slot].ours : kNoEntity;
}

Result<Result<>> BatchDecoder::decode(std::string_view payload, Batch& out) {
  Cursor in(payload);
  Result<> outcome;
  if (in.get<uint8_t>() == 0) {
    std::string message(in.text());
    outcome = fail(std::move(message), std::string(in.text()));
  }

  for (size_t n = in.count(11); n > 0 && in.ok(); --n) {
    const auto theirs = in.get<uint32_t>();
    const auto parent = in.get<uint32_t>();
    const auto kind = in.get<EntityKind>();
    const std::vector<Attribute> attributes = get_attributes(in);
    const uint32_t slot = entity_index(EntityId{theirs});
    if (!in.ok() || kind > EntityKind::facet || slot > kMaxFrame / 16) return malformed("entity");
    std::vector<AttributeView> views;
    views.reserve(attributes.size());
    for (const Attribute& a : attributes) views.push_back({a.key, a.value});
    if (slot >= map_.size()) map_.resize(slot + 64);
    map_[slot] = {theirs, entities_.intern(kind, translate(parent), views)};
  }

  for (size_t n = in.count(sizeof(Point)); n > 0 && in.ok(); --n) {
    auto point = in.get<Point>();
    if (!valid(point.metric)) return malformed("point");
    point.entity = translate(point.entity.bits);
    out.points.push_back(point);
  }
  for (size_t n = in.count(11); n > 0 && in.ok(); --n) {
    Missing missing{};
    missing.metric = in.get<Metric>();
    missing.why = in.get<Absence>();
    missing.entity = translate(in.get<uint32_t>());
    missing.detail = in.text();
    if (!valid(missing.metric) || missing.why > Absence::failed) return malformed("absence");
    out.absences.push_back(std::move(missing));
  }
  for (size_t n = in.count(23); n > 0 && in.ok(); --n) {
    Event event;
    event.time = in.get<Time>();
    event.severity = in.get<Severity>();
    event.entity = translate(in.get<uint32_t>());
    event.name = in.text();
    event.message = in.text();
    event.attributes = get_attributes(in);
    if (event.severity > Severity::error) return malformed("event");
    out.events.push_back(std::move(event));
  }
  for (size_t n = in.count(sizeof(uint32_t)); n > 0 && in.ok(); --n) {
    const auto theirs = in.get<uint32_t>();
    if (const EntityId ours = translate(theirs)) out.gone.push_back(ours);
    const uint32_t slot = entity_index(EntityId{theirs});
    if (slot < map_.size()) map_[slot] = {};
  }
  if (!in.done()) return malformed("reply");
  return outcome;
}

std::vector<EntityId> BatchDecoder::known() const {
  std::vector<EntityId> ids;
  for (const Mapping& mapping : map_) {
    if (mapping.ours) ids.push_back(mapping.ours);
  }
  return ids;
}

}  // namespace warpsight::probe

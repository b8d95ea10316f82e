#include "history/identity.h"

#include "history/packing.h"

namespace warpsight {
namespace {

constexpr uint64_t kFnvBasis = 0xcbf29ce484222325;
constexpr uint64_t kFnvPrime = 0x100000001b3;

uint64_t mix(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * kFnvPrime;
  return (hash ^ 0xFFU) * kFnvPrime;
}

uint64_t folded(uint64_t hash) { return (hash ^ (hash >> 32)) & UINT32_MAX; }

}  // namespace

uint64_t first_hash(std::string_view metric) { return folded(mix(kFnvBasis, metric)) << 32; }

uint64_t hash_of(const SeriesIdentity& identity) {
  uint64_t hash = mix(kFnvBasis, identity.unit);
  hash = mix(hash, to_string(identity.kind));
  for (const Attribute& a : identity.attributes) hash = mix(mix(hash, a.key), a.value);
  return first_hash(identity.metric) | folded(hash);
}

std::string pack_attributes(const std::vector<Attribute>& attributes) {
  std::string out;
  pack_number(out, attributes.size());
  for (const Attribute& a : attributes) {
    pack_text(out, a.key);
    pack_text(out, a.value);
  }
  return out;
}

std::vector<Attribute> unpack_attributes(std::string_view bytes) {
  Unpacker in(bytes);
  std::vector<Attribute> attributes(in.count());
  for (Attribute& a : attributes) {
    a.key = in.text();
    a.value = in.text();
  }
  if (in.failed()) attributes.clear();
  return attributes;
}

}  // namespace warpsight

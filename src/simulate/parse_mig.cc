#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "simulate/parse.h"

namespace warpsight::simulate {
namespace {

constexpr std::array<std::string_view, 7> kKeys = {"profile",         "gi",   "ci",  "memory",
                                                   "multiprocessors", "uuid", "load"};
constexpr unsigned kMostSlices = 7;

struct Profile {
  unsigned compute = 0, gpu = 0, gigabytes = 0;
};

// A number and the letters behind it, taken off the front of `text`.
std::optional<unsigned> take(std::string_view& text, std::string_view letters) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (!rest.starts_with(letters)) return std::nullopt;
  rest.remove_prefix(letters.size());
  text = rest;
  return value;
}

// "1g.10gb", "1c.3g.40gb", "1g.10gb+me".
std::optional<Profile> parse_profile(std::string_view text) {
  Profile profile;
  const auto compute = take(text, "c.");
  const auto gpu = take(text, "g.");
  const auto memory = take(text, "gb");
  if (!gpu || !memory || (!text.empty() && !text.starts_with("+"))) return std::nullopt;
  profile.gpu = *gpu;
  profile.compute = compute.value_or(*gpu);
  profile.gigabytes = *memory;
  const bool sane = profile.gpu >= 1 && profile.gpu <= kMostSlices && profile.compute >= 1 &&
                    profile.compute <= profile.gpu && profile.gigabytes <= 4096;
  return sane ? std::optional(profile) : std::nullopt;
}

// A slice is about an eighth of the SMs, in whole pairs.
unsigned multiprocessors_of(unsigned all, unsigned slices) {
  return slices == kMostSlices ? all : slices * (((all + 4) / 8) & ~1U);
}

}  // namespace

void parse_mig(Reader& reader, const YamlNode& node, std::size_t gpu_index, Gpu& gpu,
               std::size_t& points) {
  if (!reader.sequence(node, kMaxMigInstances)) return;
  unsigned slices = 0;
  for (std::size_t i = 0; i < node.children.size() && !reader.failed(); ++i) {
    const YamlNode& entry = reader.child(node, i);
    const MapView map(reader, entry, kKeys);
    MigInstance mig;
    map.text("profile", mig.profile, 24);
    const auto profile = parse_profile(mig.profile);
    if (!profile) {
      reader.fail(entry, "a MIG instance needs a profile", "write profile: 1g.10gb");
      return;
    }
    mig.gpu_instance = static_cast<unsigned>(i) + 1;
    map.integer("gi", mig.gpu_instance, 63);
    map.integer("ci", mig.compute_instance, 63);
    mig.gpu_slices = profile->gpu;
    mig.compute_slices = profile->compute;
    // A profile's gigabytes are rounded up; what is usable lies about 3 % below.
    mig.memory = (std::uint64_t{profile->gigabytes} << 30U) / 100 * 97;
    map.bytes("memory", mig.memory, gpu.spec.memory);
    mig.multiprocessors = multiprocessors_of(gpu.spec.multiprocessors, profile->compute);
    map.integer("multiprocessors", mig.multiprocessors, 10'000);
    mig.uuid = fmt::format("MIG-5a17{:04x}-7769-4172-9053-{:012x}", gpu_index, i);
    map.text("uuid", mig.uuid, nvml::abi::kUuidBuffer - 1);
    if (const YamlNode* load = map.find("load")) {
      mig.load = parse_signal(reader, *load, {.lowest = 0, .highest = 1}, points);
    }
    slices += profile->compute;
    gpu.mig.push_back(std::move(mig));
  }
  if (slices > kMostSlices) reader.fail(node, "the MIG instances have more than 7 slices");
}

}  // namespace warpsight::simulate

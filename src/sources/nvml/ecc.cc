#include "sources/nvml/ecc.h"

namespace warpsight::nvml {
namespace {

struct Place {
  abi::MemoryLocation location;
  std::string_view name;
  bool part_of_sram;
};

// SRAM is what caches and register files are made of. A driver that counts SRAM as a whole may
// count its parts too; they are left out then, so that a sum over places has each error once.
constexpr std::array<Place, 8> kPlaces{{
    {abi::MemoryLocation::dram, "dram", false},
    {abi::MemoryLocation::sram, "sram", false},
    {abi::MemoryLocation::l1_cache, "l1_cache", true},
    {abi::MemoryLocation::l2_cache, "l2_cache", true},
    {abi::MemoryLocation::register_file, "register_file", true},
    {abi::MemoryLocation::texture_memory, "texture_memory", true},
    {abi::MemoryLocation::texture_shm, "texture_shm", true},
    {abi::MemoryLocation::cbu, "cbu", true},
}};

struct Sort {
  abi::MemoryErrorType type;
  abi::EccCounterType age;
  std::string_view type_name, age_name;
};

constexpr std::array<Sort, 4> kSorts{{
    {abi::MemoryErrorType::corrected, abi::EccCounterType::volatile_count, "correctable",
     "volatile"},
    {abi::MemoryErrorType::corrected, abi::EccCounterType::aggregate, "correctable", "aggregate"},
    {abi::MemoryErrorType::uncorrected, abi::EccCounterType::volatile_count, "uncorrectable",
     "volatile"},
    {abi::MemoryErrorType::uncorrected, abi::EccCounterType::aggregate, "uncorrectable",
     "aggregate"},
}};

EntityId error_facet(EntityTable& entities, EntityId gpu, const Sort& sort,
                     std::string_view place) {
  return facet(entities, gpu,
               {{"gpu.ecc.error_type", sort.type_name},
                {"gpu.ecc.count_type", sort.age_name},
                {"gpu.ecc.memory_block", place}});
}

}  // namespace

Ecc::Ecc(EntityId gpu)
    : gpu_(gpu),
      counts_(kSorts.size() * kPlaces.size()),
      errors_{{Metric::gpu_ecc_errors, gpu}},
      sram_threshold_{{Metric::gpu_ecc_sram_threshold_exceeded, gpu}} {}

void Ecc::read(Pass& pass) {
  if (by_place_) by_place_ = read_places(pass);
  if (!by_place_) read_totals(pass);
  read_sram_threshold(pass);
}

bool Ecc::read_places(Pass& pass) {
  bool wanted = false;
  bool read = false;
  bool sram_as_a_whole = false;
  for (size_t i = 0; i < counts_.size(); ++i) {
    const Sort& sort = kSorts[i / kPlaces.size()];
    const Place& place = kPlaces[i % kPlaces.size()];
    Count& count = counts_[i];
    if (place.part_of_sram && sram_as_a_whole) continue;
    unsigned long long errors = 0;
    if (pass.get(count.reading, pass.lib.nvmlDeviceGetMemoryErrorCounter, pass.handle, sort.type,
                 sort.age, place.location, &errors)) {
      if (!count.entity) count.entity = error_facet(pass.context.entities, gpu_, sort, place.name);
      pass.add({Metric::gpu_ecc_errors, count.entity}, static_cast<double>(errors));
      read = true;
    }
    if (place.location == abi::MemoryLocation::sram) sram_as_a_whole = count.reading.wanted();
    wanted = wanted || count.reading.wanted();
  }
  if (read) {
    errors_.succeeded();
  } else if (wanted && !pass.halted()) {
    errors_.absent(Absence::failed, "error counters could not be read", pass.out);
  }
  return wanted;
}

void Ecc::read_totals(Pass& pass) {
  for (size_t i = 0; i < kSorts.size(); ++i) {
    unsigned long long errors = 0;
    if (!pass.get(errors_, pass.lib.nvmlDeviceGetTotalEccErrors, pass.handle, kSorts[i].type,
                  kSorts[i].age, &errors)) {
      return;
    }
    if (!totals_[i]) totals_[i] = error_facet(pass.context.entities, gpu_, kSorts[i], "all");
    pass.add({Metric::gpu_ecc_errors, totals_[i]}, static_cast<double>(errors));
  }
}

void Ecc::read_sram_threshold(Pass& pass) {
  abi::SramEccStatus status{};
  status.version = abi::kSramEccStatusV1;
  if (pass.get(sram_threshold_, pass.lib.nvmlDeviceGetSramEccErrorStatus, pass.handle, &status)) {
    pass.add(sram_threshold_[0], status.threshold_exceeded != 0 ? 1 : 0);
  }
}

}  // namespace warpsight::nvml

// Which GPUs there are, and how each is: found, lost and back, asleep, plugged in or pulled out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sources/nvml/gpu.h"
#include "sources/nvml/pci_scan.h"

namespace warpsight::nvml {

class Inventory {
 public:
  Inventory(const SourceContext& context, const ReaderOptions& options, bool simulated);

  // Whether the kernel lists GPUs and all of them sleep, so that NVML is better left alone.
  bool all_asleep();

  // Looks who is there. By address where sysfs lists NVIDIA's GPUs, so that one that sleeps or is
  // to be left alone is not touched; else by index. The result is success, or why the driver as a
  // whole does not answer.
  abi::Return refresh(const Library& library, Batch& out);
  // The part that needs no driver, after all_asleep(): GPUs that sleep.
  void note_sleepers(Batch& out);

  // A GPU did not answer. Tells so once, and leaves it alone but for a look every kCheckPeriod.
  void lose(Gpu& gpu, std::string_view why, Batch& out);
  // Leaves a GPU alone that went to sleep since the last look. Returns whether it did.
  bool fell_asleep(Gpu& gpu, Batch& out);
  // The driver is gone: no handle is good any more. Entities stay.
  void forget_handles(Batch& out);
  // Takes an address off the list of those to be left alone.
  void admit(std::string_view address);

  std::vector<std::unique_ptr<Gpu>>& gpus() { return gpus_; }
  // The most GPUs there have been.
  size_t expected() const { return expected_; }

  static constexpr Duration kCheckPeriod = std::chrono::seconds{10};

 private:
  abi::Return refresh_by_address(const Library& library, Batch& out);
  abi::Return refresh_by_index(const Library& library, Batch& out);
  abi::Return look_at_index(const Library& library, unsigned index, Batch& out);
  void drop_unseen(const Library& library, Batch& out);

  // Asks for the handle and, if the GPU answers, makes it present.
  abi::Return meet(const Library& library, Gpu& gpu, Batch& out);
  void attach(const Library& library, Gpu& gpu, abi::Device handle, Batch& out);
  bool answers(const Library& library, abi::Device handle) const;
  void put_to_sleep(Gpu& gpu, Batch& out);
  void set_entity(Gpu& gpu, std::string_view uuid, std::string_view model, Batch& out);
  void drop_readers(Gpu& gpu, Batch& out);
  void tell(const Gpu& gpu, std::string_view name, Severity severity, std::string_view message,
            Batch& out) const;

  bool excluded(std::string_view address) const;
  bool excluded_index(unsigned index) const;
  Gpu& find_or_add(std::string_view address);
  Gpu* find_index(unsigned index);
  SteadyTime steady() const { return context_.clock.steady(); }

  const SourceContext& context_;
  ReaderOptions options_;
  bool simulated_;  // what is read is labelled so
  PciScan scan_;
  std::vector<std::string> skip_;
  std::vector<unsigned> skipped_indexes_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  size_t expected_ = 0;
};

}  // namespace warpsight::nvml

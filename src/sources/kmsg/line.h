// Records of the kernel log and the GPU errors in them. Pure functions over foreign bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsight::kmsg {

// "6,1234,5678901,-;text\n KEY=value\n": what /dev/kmsg gives for one printk.
struct Record {
  unsigned priority = 0;  // facility × 8 + level
  uint64_t sequence = 0;  // since boot, without gaps
  std::chrono::microseconds since_boot{};
  std::string_view text;  // still escaped; without the dictionary lines
};

// Nothing for what is not a record, such as a dictionary line on its own.
std::optional<Record> parse_record(std::string_view bytes);

// Appends `text` with \xNN resolved to `out`. The outcome is printable ASCII and newlines: other
// control bytes become blanks, and what is not ASCII stays escaped.
void unescape(std::string_view text, std::string& out);

// "0000:9b:00.0", as sysfs writes it, of what drivers write: "PCI:0000:9b:00", "0000:9b:00.0",
// "0000:9b:00", and "0001:00" (bus and slot) of the oldest. Empty when it is no address.
std::string normalise_address(std::string_view text);

struct GpuError {
  enum class Kind {
    xid,
    fallen_off_bus,  // said without a code
    sxid,            // of an NVSwitch
  };

  Kind kind = Kind::xid;
  unsigned code = 0;     // 0 for fallen_off_bus
  std::string address;   // normalised
  std::string_view pid;  // digits, or empty when the driver did not know
  std::string_view process;
  std::string_view instance;  // of a MIG GPU, or empty
  std::string_view unit;      // sxid: "nvidia-nvswitch0"
  bool fatal = false;         // sxid
  std::string_view message;
};

// What a line of text (unescaped) says about a GPU or a switch; views are into `text`.
std::optional<GpuError> parse_gpu_error(std::string_view text);

}  // namespace warpsight::kmsg
